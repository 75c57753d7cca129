// The list of samples: filters, only the visible rows, keys, links. Details are unpacked when they are looked at.

const ROW = 62;
const SPARE_ROWS = 6;
const KINDS = ["state", "polarity", "subset", "rule", "language"];
const KEPT_CHUNKS = 8;
// What a row says about its sample, the most telling first.
const CHIPS = ["error", "harmed", "helped", "changed", "flagged", "advised", "wrong"];

const samples = { index: null, bases: [], searchable: [], shown: [], at: -1, chunks: new Map() };
const place = {};

function labelWords(label) {
  const [kind, value] = [label.slice(0, label.indexOf(":")), label.slice(label.indexOf(":") + 1)];
  return code(kind, value);
}

/** The order in which the codes of a kind are explained. */
function rank(label) {
  const [kind, value] = [label.slice(0, label.indexOf(":")), label.slice(label.indexOf(":") + 1)];
  const at = Object.keys(CODES[kind]).indexOf(value);
  return at < 0 ? Infinity : at;
}

async function detailAt(entry) {
  const number = Math.floor(entry / RUNS.details_per_chunk);
  if (!samples.chunks.has(number)) {
    samples.chunks.set(number, unpack(`detail-${number}`));
    if (samples.chunks.size > KEPT_CHUNKS) samples.chunks.delete(samples.chunks.keys().next().value);
  }
  return (await samples.chunks.get(number))[entry % RUNS.details_per_chunk];
}

function fillSelect(select, options, chosen) {
  select.replaceChildren(...options.map(([value, words]) => h("option", { value, selected: value === chosen }, words)));
  select.value = chosen;
}

function fillFilters() {
  const { labels, run, found } = samples.index;
  const counts = new Map();
  const chosenRun = place.run.value;
  found.forEach((numbers, entry) => {
    if (chosenRun !== "" && String(run[entry]) !== chosenRun) return;
    for (const number of numbers) counts.set(number, (counts.get(number) || 0) + 1);
  });
  fillSelect(place.run, [["", t("all_runs")], ...RUNS.names.map((name, number) => [String(number), name])], chosenRun);
  for (const kind of KINDS) {
    const options = labels
      .map((label, number) => [String(number), label])
      .filter(([number, label]) => label.startsWith(`${kind}:`) && (counts.has(Number(number)) || place[kind].value === number))
      .sort((one, other) => rank(one[1]) - rank(other[1]))
      .map(([number, label]) => [number, `${labelWords(label)} (${(counts.get(Number(number)) || 0).toLocaleString()})`]);
    place[kind].disabled = !options.length;
    fillSelect(place[kind], [["", t(`any_${kind}`)], ...options], place[kind].value);
  }
}

function applyFilters() {
  const { run, base, found } = samples.index;
  const chosenRun = place.run.value;
  const wanted = KINDS.map((kind) => place[kind].value).filter((value) => value !== "").map(Number);
  const words = place.search.value.trim().toLowerCase();
  const current = samples.shown[samples.at];
  samples.shown = [];
  for (let entry = 0; entry < run.length; entry += 1) {
    if (chosenRun !== "" && String(run[entry]) !== chosenRun) continue;
    if (!wanted.every((label) => found[entry].includes(label))) continue;
    if (words && !samples.searchable[base[entry]].includes(words)) continue;
    samples.shown.push(entry);
  }
  samples.at = samples.shown.indexOf(current);
  place.count.textContent = t("shown_of", { shown: samples.shown.length.toLocaleString(), total: run.length.toLocaleString() });
  place.space.style.height = `${Math.max(1, samples.shown.length) * ROW}px`;
  place.rows.scrollTop = 0;
  drawRows();
}

function rowOf(position) {
  const entry = samples.shown[position];
  const { labels, run, base, found } = samples.index;
  const [uid, text] = samples.bases[base[entry]];
  const own = found[entry].map((number) => labels[number]);
  const states = CHIPS.map((state) => `state:${state}`).filter((label) => own.includes(label));
  const row = h(
    "div", {
      class: "row", role: "option", id: `row-${position}`, "aria-selected": String(position === samples.at),
      onclick: () => openAt(position),
    },
    h("div", { class: "row-head" }, h("b", {}, uid), h("span", { class: "dim" }, RUNS.names[run[entry]]), states.map((label) => h("span", { class: `chip ${label.slice(6)}` }, labelWords(label)))),
    h("div", { class: "row-text" }, text || t("text_unknown")),
  );
  row.style.transform = `translateY(${position * ROW}px)`;
  return row;
}

function drawRows() {
  const first = Math.max(0, Math.floor(place.rows.scrollTop / ROW) - SPARE_ROWS);
  const visible = Math.ceil(place.rows.clientHeight / ROW) + 2 * SPARE_ROWS;
  const last = Math.min(samples.shown.length, first + visible);
  const rows = [];
  for (let position = first; position < last; position += 1) rows.push(rowOf(position));
  if (!samples.shown.length) rows.push(h("p", { class: "dim empty" }, t("nothing_matches")));
  place.space.replaceChildren(...rows);
  if (samples.at >= 0) place.rows.setAttribute("aria-activedescendant", `row-${samples.at}`);
}

function showRow(position) {
  const top = position * ROW;
  if (top < place.rows.scrollTop) place.rows.scrollTop = top;
  else if (top + ROW > place.rows.scrollTop + place.rows.clientHeight) place.rows.scrollTop = top + ROW - place.rows.clientHeight;
  drawRows();
}

function linkOf(entry) {
  const { run, base } = samples.index;
  return `#uid=${encodeURIComponent(samples.bases[base[entry]][0])}&run=${encodeURIComponent(RUNS.names[run[entry]])}`;
}

async function openAt(position, { link = true } = {}) {
  samples.at = position;
  showRow(position);
  const entry = samples.shown[position];
  if (link) history.replaceState(null, "", linkOf(entry));
  await openEntry(entry);
}

function otherRuns(entry) {
  const { run, base } = samples.index;
  const same = [];
  base.forEach((number, other) => {
    if (number === base[entry]) same.push(other);
  });
  if (same.length < 2) return null;
  return h("p", { class: "others", role: "group", "aria-label": t("same_sample") }, same.map((other) => h(
    "button", { type: "button", "aria-pressed": String(other === entry), onclick: () => openOther(other) }, RUNS.names[run[other]],
  )));
}

function openOther(entry) {
  history.replaceState(null, "", linkOf(entry));
  openEntry(entry);
}

async function openEntry(entry) {
  const { run, base } = samples.index;
  const detail = await detailAt(entry);
  if (samples.open !== entry) place.detail.scrollTop = 0;
  samples.open = entry;
  const head = h(
    "div", { class: "detail-head" },
    h("h3", {}, samples.bases[base[entry]][0], " ", h("span", { class: "dim" }, RUNS.names[run[entry]])),
    h("div", { class: "steps" },
      h("button", { type: "button", "aria-label": t("previous"), onclick: () => step(-1) }, "↑"),
      h("button", { type: "button", "aria-label": t("next"), onclick: () => step(1) }, "↓"),
      h("button", { type: "button", "aria-label": t("close"), class: "close", onclick: closeDetail }, "✕")),
  );
  const shown = [head, otherRuns(entry), ...detailOf(samples.bases[base[entry]], detail)];
  place.detail.replaceChildren(...shown.flat(Infinity).filter((one) => one !== null && one !== undefined));
  place.detail.hidden = false;
  place.browser.classList.add("opened");
}

function closeDetail() {
  samples.open = null;
  place.detail.hidden = true;
  place.browser.classList.remove("opened");
  history.replaceState(null, "", "#samples");
  place.rows.focus();
}

function step(by) {
  const position = Math.min(samples.shown.length - 1, Math.max(0, samples.at + by));
  if (samples.shown.length) openAt(position);
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const inside = place.browser.contains(event.target);
  if (event.key === "Escape" && samples.open !== null && samples.open !== undefined) closeDetail();
  else if (event.key === "j" || (event.key === "ArrowDown" && inside)) step(1);
  else if (event.key === "k" || (event.key === "ArrowUp" && inside)) step(-1);
  else return;
  event.preventDefault();
}

/** Follow a link to a sample; false if the address names none that is here. */
function followLink() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  if (!wanted.has("uid")) return false;
  const { run, base } = samples.index;
  const fits = (entry) => samples.bases[base[entry]][0] === wanted.get("uid") && (!wanted.has("run") || RUNS.names[run[entry]] === wanted.get("run"));
  const entry = run.findIndex((_, number) => fits(number));
  if (entry < 0) return false;
  for (const kind of KINDS) place[kind].value = "";
  place.search.value = "";
  place.run.value = String(run[entry]);
  fillFilters();
  applyFilters();
  document.getElementById("samples").scrollIntoView();
  openAt(samples.shown.indexOf(entry), { link: false });
  return true;
}

function spanHover(event) {
  const row = event.target.closest("[data-of]");
  for (const element of place.detail.querySelectorAll(".seg[data-spans]")) {
    element.classList.toggle("lit", row !== null && element.dataset.spans.split(" ").includes(row.dataset.of));
  }
}

async function startBrowser() {
  for (const name of ["browser", "rows", "space", "detail", "count", "run", "search", ...KINDS]) place[name] = document.getElementById(`b-${name}`);
  samples.index = await unpack("sample-index");
  const chunks = await Promise.all([...document.querySelectorAll("[id^=base-]")].map((element) => unpack(element.id)));
  samples.bases = chunks.flat();
  samples.searchable = samples.bases.map(([uid, text]) => `${uid}\n${text}`.toLowerCase());
  fillSelect(place.run, [["", ""], ...RUNS.names.map((name, number) => [String(number), name])], String(RUNS.first));
  fillFilters();
  place.run.addEventListener("change", () => { fillFilters(); applyFilters(); });
  for (const kind of KINDS) place[kind].addEventListener("change", applyFilters);
  place.search.addEventListener("input", applyFilters);
  document.getElementById("b-clear").addEventListener("click", () => {
    for (const kind of KINDS) place[kind].value = "";
    place.search.value = "";
    fillFilters();
    applyFilters();
  });
  place.rows.addEventListener("scroll", drawRows, { passive: true });
  place.detail.addEventListener("mouseover", spanHover);
  addEventListener("resize", drawRows);
  addEventListener("hashchange", followLink);
  document.addEventListener("keydown", onKey);
  languageListeners.push(() => {
    fillFilters();
    applyFilters();
    if (samples.open !== null && samples.open !== undefined) openEntry(samples.open);
  });
  applyFilters();
  followLink();
  place.browser.dataset.ready = "true";
}

startPage();
if ("DecompressionStream" in globalThis) startBrowser();
else document.getElementById("b-count").textContent = t("old_browser");
