// Words, elements, unpacking, and the switches of the page. Everything that comes from data becomes text nodes only.

const WORDS = JSON.parse(document.getElementById("words").textContent);
const CODES = JSON.parse(document.getElementById("codes").textContent);
const RUNS = JSON.parse(document.getElementById("runs").textContent);
const POLARITIES = ["positive", "negative", "neutral", "mixed"];
const SIGNS = ["+", "−", "0", "±"];
const root = document.documentElement;

function pick(pair) {
  return pair[root.lang === "ko" ? 1 : 0];
}

function t(key, values = {}) {
  return pick(WORDS[key]).replace(/\{(\w+)\}/g, (_, name) => String(values[name]));
}

function code(kind, value) {
  const pair = Object.hasOwn(CODES[kind], value) ? CODES[kind][value] : null;
  return pair ? pick(pair) : value;
}

/** An element; attributes that are null or false are left out, children that are null too. */
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "onclick") element.addEventListener("click", value);
    else if (value !== null && value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

/** The JSON in a packed element: base64 of deflate. */
async function unpack(id) {
  const binary = atob(document.getElementById(id).textContent.trim());
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

function remembered(key) {
  try {
    return localStorage.getItem(`samsim-report-${key}`);
  } catch {
    return null; // storage may be closed for files
  }
}

function remember(key, value) {
  try {
    localStorage.setItem(`samsim-report-${key}`, value);
  } catch {
    // then the choice holds for this page only
  }
}

const languageListeners = [];

function setLanguage(language) {
  root.lang = language;
  for (const button of document.querySelectorAll("[data-set-lang]")) {
    button.setAttribute("aria-pressed", String(button.dataset.setLang === language));
  }
  for (const element of document.querySelectorAll("[data-label]")) {
    element.setAttribute(element.tagName === "INPUT" ? "placeholder" : "aria-label", t(element.dataset.label));
  }
  document.title = t("page_title", { name: root.dataset.experiment });
  for (const listener of languageListeners) listener();
}

function setTheme(theme) {
  root.dataset.theme = theme;
  for (const button of document.querySelectorAll("[data-set-theme]")) {
    button.setAttribute("aria-pressed", String(button.dataset.setTheme === theme));
  }
}

function startPage() {
  for (const button of document.querySelectorAll("[data-set-lang]")) {
    button.addEventListener("click", () => {
      remember("lang", button.dataset.setLang);
      setLanguage(button.dataset.setLang);
    });
  }
  for (const button of document.querySelectorAll("[data-set-theme]")) {
    button.addEventListener("click", () => {
      remember("theme", button.dataset.setTheme);
      setTheme(button.dataset.setTheme);
    });
  }
  const own = navigator.language.toLowerCase().startsWith("ko") ? "ko" : "en";
  const language = remembered("lang") || root.dataset.defaultLang || own;
  setTheme(remembered("theme") || "auto");
  setLanguage(language === "ko" ? "ko" : "en");
  // On paper nothing can be opened.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
  });
}
