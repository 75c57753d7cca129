// One sample of one run. The lists are read by position, as reports/page/sample_rows.py writes them.

const AGENTS = ["A", "B", "C"];
const CHANGES = new Set(["DROP", "FLIP", "REF", "set_polarity", "set_aspect_ref", "merge_tuples", "drop_tuple"]);

function sign(polarity) {
  const name = POLARITIES[polarity];
  return h("span", { class: `sign ${name}`, title: code("polarity", name) }, SIGNS[polarity]);
}

function mark(value) {
  if (value === null || value === undefined) return null;
  const [kind, symbol] = [["miss", "✗"], ["part", "◐"], ["hit", "✓"]][value];
  return h("span", { class: `mark ${kind}`, title: t(`mark_${kind}`) }, symbol);
}

function aspect(term) {
  return term ? h("b", {}, term) : h("i", { class: "dim" }, t("implicit"));
}

function coded(kind, value, className = "") {
  return h("abbr", { title: value, class: className }, code(kind, value));
}

function block(title, ...content) {
  return h("section", { class: "block" }, h("h4", {}, title), ...content);
}

function scrolled(table) {
  return h("div", { class: "scroll" }, table);
}

function list(items, className = "plain") {
  return h("ul", { class: className }, items.map((item) => h("li", {}, item)));
}

function candidateOf(row) {
  const [id, agent, term, ref, opinion, polarity, start, end, evidence, sure, hit] = row;
  return { id, agent, term, ref, opinion, polarity, start, end, evidence, sure, hit };
}

function finalOf(row) {
  const [term, ref, opinions, polarity, start, end, evidence, sure, hit, ids, support, reasons] = row;
  return { term, ref, opinions, polarity, start, end, evidence, sure, hit, ids, support, reasons, said: [...opinions, evidence] };
}

function goldOf(row) {
  const [term, ref, opinion, polarity, start, end] = row;
  return { term, ref, opinion, polarity, start, end, said: [opinion] };
}

function quoted(opinion, evidence) {
  const words = evidence && opinion && !evidence.includes(opinion) ? `${opinion} “${evidence}”` : `“${opinion || evidence}”`;
  return opinion || evidence ? h("span", { class: "quote" }, words) : null;
}

function stage1Block(candidates, calls) {
  const agents = [...new Set([...candidates.map((one) => one.agent)])];
  const shown = agents.every((agent) => AGENTS.includes(agent)) ? AGENTS : agents;
  const columns = shown.map((agent) => {
    const own = candidates.filter((one) => one.agent === agent);
    const troubles = calls.filter((call) => call[0] === agent && call[1] === "stage1");
    return h(
      "div", { class: "column" },
      h("h5", {}, code("agent", agent)),
      own.length ? null : h("p", { class: "dim" }, t("nothing_found")),
      own.map((one) => h(
        "div", { class: "tuple" },
        h("div", {}, h("span", { class: "id" }, one.id), sign(one.polarity), aspect(one.term), " ", mark(one.hit)),
        h("div", { class: "small" }, h("span", { class: "ref" }, one.ref), " ", quoted(one.opinion, one.evidence)),
      )),
      troubles.map(callTrouble),
    );
  });
  return block(t("stage1_found"), h("div", { class: "columns" }, columns));
}

function callTrouble([agent, stage, problem, rejected]) {
  const words = problem ? t("no_answer", { agent, problem: code("failure", problem) }) : t("rejected_parts", { agent, count: rejected });
  return h("p", { class: "trouble" }, words);
}

function doubtBlock(detail) {
  const flags = (detail.cf || []).map(([kind, ref, term, ids]) => [
    h("b", {}, coded("conflict", kind)), " ", h("span", { class: "ref" }, ref || term), " ", h("span", { class: "id" }, ids.join(" ")),
  ]);
  const risks = (detail.vr || []).map(([id, kind, severity]) => [
    h("b", {}, coded("risk", kind)), ` (${code("severity", severity)}) `, h("span", { class: "id" }, id),
  ]);
  const structure = (detail.st || []).map((name) => coded("subset", name, "chip"));
  return block(
    t("doubts"),
    structure.length ? h("p", {}, structure) : null,
    flags.length + risks.length ? list([...flags, ...risks]) : h("p", { class: "dim" }, t("no_doubts")),
  );
}

function action(name, extra) {
  return h("span", { class: `action ${CHANGES.has(name) ? "change" : name === "FLAG" ? "flag" : "keep"}`, title: code("action", name) }, name, extra ? ` ${extra}` : "");
}

function polaritySign(name) {
  const at = POLARITIES.indexOf(name);
  return at < 0 ? name : SIGNS[at];
}

function voteCell(decision, agent) {
  const [, , , , , votes, implicit, dissent] = decision;
  if (implicit.includes(agent)) return h("td", { class: "dim", "data-who": agent }, t("implicit_vote"));
  const vote = votes[agent];
  if (!vote) return h("td", { class: "dim", "data-who": agent }, "–");
  const [name, reason, polarity, merged] = vote;
  const meaning = [code("action", name), reason ? `${reason}: ${code("reason", reason)}` : ""].filter(Boolean).join("\n");
  return h(
    "td", { title: meaning, "data-who": agent, class: dissent.includes(agent) ? "dissent" : null },
    action(name, polarity ? polaritySign(polarity) : ""),
    reason ? h("div", { class: "small" }, code("reason", reason)) : null,
    merged ? h("div", { class: "small dim" }, t("merge_vote")) : null,
  );
}

function refusalList(refusals) {
  if (!refusals) return null;
  return [h("p", { class: "small" }, t("refused")), list(refusals.map(([actor, id, reason, claimed]) => [
    h("span", { class: "id" }, id), `${actor} ${claimed}: `, coded("refusal", reason),
  ]), "plain small")];
}

function voteBlock(detail, candidates) {
  const decisions = detail.v || [];
  if (!decisions.length) return block(t("votes"), h("p", { class: "dim" }, t("no_votes")));
  const byId = new Map(candidates.map((one) => [one.id, one]));
  const rows = decisions.map((decision) => {
    const [id, name, reason, value, rule, , , , kinds] = decision;
    const one = byId.get(id);
    return h(
      "tr", {},
      h("th", { scope: "row" }, h("span", { class: "id" }, id), one ? [sign(one.polarity), aspect(one.term), h("div", { class: "small ref" }, one.ref)] : null),
      AGENTS.map((agent) => voteCell(decision, agent)),
      h(
        "td", { class: "verdict", "data-who": t("decision") },
        action(name, value ? polaritySign(value) : ""),
        h("div", { class: "small" }, code("rule", rule)),
        reason ? h("div", { class: "small dim" }, coded("reason", reason)) : null,
        kinds.length ? h("div", { class: "small dim" }, kinds.map((kind) => code("conflict", kind)).join(", ")) : null,
      ),
    );
  });
  const head = h("tr", {}, h("th", {}, t("tuple")), AGENTS.map((agent) => h("th", { title: code("agent", agent) }, agent)), h("th", {}, t("decision")));
  return block(
    t("votes"),
    scrolled(h("table", { class: "votes" }, h("thead", {}, head), h("tbody", {}, rows))),
    refusalList(detail.rf),
  );
}

function edits(rows) {
  return list(rows.map(([op, id, value, evidence, sure]) => [
    action(op, value ? polaritySign(value) : ""), " ", h("span", { class: "id" }, id), " ", quoted("", evidence), ` ${sure}`,
  ]), "plain small");
}

function turnColumn([persona, round, answered, proposed]) {
  return h(
    "div", { class: "column" }, h("h5", {}, code("agent", persona), round > 1 ? ` · ${t("round", { round })}` : ""),
    answered ? (proposed.length ? edits(proposed) : h("p", { class: "dim" }, t("no_edits"))) : h("p", { class: "trouble" }, t("not_heard")),
  );
}

function judgeBlock(judge) {
  const [answered, patch, open, rationale] = judge;
  return block(
    t("judge"),
    answered ? null : h("p", { class: "trouble" }, t("not_heard")),
    patch.length ? null : h("p", { class: "dim" }, t("no_edits")),
    list(patch.map(([change, op, id, value, evidence]) => [
      h("span", { class: "id" }, change), action(op, value ? polaritySign(value) : ""), " ", h("span", { class: "id" }, id), " ", quoted("", evidence),
    ])),
    open.length ? list(open.map(([ids, issue]) => `${t("unresolved")}: ${ids.join(" ")} ${issue}`)) : null,
    rationale ? h("p", { class: "small dim" }, rationale) : null,
  );
}

function debateBlocks(debate) {
  const blocks = [];
  const stage1 = [
    ...(debate.as ? [["ATE: ", h("b", {}, debate.as.map(([term]) => term).join(", "))]] : []),
    ...(debate.dr || []).map(([agent, term, reason]) => [`${agent}: `, h("s", {}, term), " ", coded("drop", reason)]),
    ...(debate.sr || []).map(([id, kind, severity, words]) => [h("span", { class: "id" }, id), coded("structural", kind), ` (${code("severity", severity)}) `, words]),
    ...(debate.cp || []).map(([id, op, value, words]) => [h("span", { class: "id" }, id), action(op, polaritySign(value)), ` ${words}`]),
  ];
  if (stage1.length) blocks.push(block(t("aspects_and_checks"), list(stage1)));
  if (debate.t) blocks.push(block(t("debate_turns"), h("div", { class: "columns" }, debate.t.map(turnColumn)), refusalList(debate.rf)));
  if (debate.j) blocks.push(judgeBlock(debate.j));
  if (debate.s2) {
    const [answered, accepted, rejected] = debate.s2;
    blocks.push(block(
      t("stage2"), answered ? null : h("p", { class: "trouble" }, t("not_heard")),
      list([
        ...accepted.map(([change, why]) => [h("span", { class: "id" }, change), h("b", {}, t("accepted")), ` ${why}`]),
        ...rejected.map(([change, reason, why]) => [h("span", { class: "id" }, change), h("b", {}, t("rejected")), " ", coded("skip", reason), ` ${why}`]),
      ]),
    ));
  }
  if (debate.o) {
    blocks.push(block(t("override_gate", { profile: debate.op }), list(debate.o.map(([change, op, id, value, applied, skip, support, against]) => [
      h("span", { class: "id" }, change), action(op, value ? polaritySign(value) : ""), " ", h("span", { class: "id" }, id), " ",
      h("b", {}, applied ? t("applied") : t("not_applied")), skip ? [" ", coded("skip", skip)] : "", ` ${t("signal", { support, against })}`,
    ]))));
  }
  const [label, sure, stage, rules] = debate.mo;
  const value = debate.ev ? t("expected_value", { total: debate.ev[0], threshold: debate.ev[1] }) : "";
  blocks.push(block(
    t("moderator"),
    h("p", {}, label ? code("polarity", label) : "–", ` (${sure}), ${stage === "stage2" ? t("stage2") : t("stage1")}. `, value),
    list(rules.map((rule) => coded("moderator", rule)), "plain small"),
  ));
  return blocks;
}

function goldBlock(gold, found) {
  if (gold === null) return block(t("gold"), h("p", { class: "dim" }, t("no_gold")));
  const rows = gold.map((one, number) => h(
    "tr", { "data-of": `G${number + 1}` },
    h("th", { scope: "row" }, `G${number + 1}`),
    h("td", {}, sign(one.polarity), aspect(one.term)), h("td", { class: "ref" }, one.ref), h("td", {}, quoted(one.opinion, "")),
    found ? [h("td", {}, mark(found[number] & 1 ? 2 : 0)), h("td", {}, mark(found[number] & 2 ? 2 : 0))] : null,
  ));
  const head = h("tr", {}, h("th", {}), h("th", {}, t("aspect")), h("th", {}, t("ref")), h("th", {}, t("opinion")), found ? [h("th", {}, t("stage1")), h("th", {}, t("final"))] : null);
  return block(t("gold"), rows.length ? scrolled(h("table", {}, h("thead", {}, head), h("tbody", {}, rows))) : h("p", { class: "dim" }, t("gold_empty")));
}

function finalBlock(final, candidates) {
  const rows = final.map((one, number) => h(
    "tr", { "data-of": `F${number + 1}` },
    h("th", { scope: "row" }, `F${number + 1}`),
    h("td", {}, sign(one.polarity), aspect(one.term)), h("td", { class: "ref" }, one.ref),
    h("td", {}, one.opinions.filter(Boolean).map((words) => [quoted(words, ""), " "])),
    h("td", {}, one.support.join(" ")), h("td", { class: "id" }, one.ids.join(" ")),
    h("td", {}, mark(one.hit), one.reasons ? h("span", { class: "action flag", title: one.reasons.map((reason) => code("reason", reason)).join("\n") }, t("uncertain")) : null),
  ));
  const head = h("tr", {}, [null, "aspect", "ref", "opinion", "support", "tuples", "match"].map((key) => h("th", {}, key ? t(key) : "")));
  const kept = new Set(final.flatMap((one) => one.ids));
  const dropped = candidates.filter((one) => !kept.has(one.id));
  return block(
    t("final_tuples"),
    rows.length ? scrolled(h("table", {}, h("thead", {}, head), h("tbody", {}, rows))) : h("p", { class: "dim" }, t("nothing_left")),
    dropped.length ? h("p", { class: "small" }, `${t("dropped")}: `, dropped.map((one) => h("s", { class: "gone" }, `${one.id} ${SIGNS[one.polarity]} ${one.term || t("implicit")} ${one.ref}`))) : null,
  );
}

function memoryBlock(memory) {
  const [condition, retrieved, advice, shown, gated, trigger, characters, episode, blocked, source] = memory;
  const reasons = trigger.split(",").filter(Boolean).map((one) => code("trigger", one)).join(", ");
  const placebo = source === "placebo";
  const reached = placebo ? t("advice_placebo") : t("advice_shown");
  const injected = placebo ? t("placebo_characters", { count: characters }) : t("injected_characters", { count: characters });
  return block(
    t("memory"),
    h("p", { class: "small" }, t("condition_is", { condition }), " ", retrieved.length ? t("similar_cases", { ids: retrieved.join(", ") }) : t("no_similar_case")),
    reasons ? h("p", { class: "small" }, gated ? t("gate_shut", { reasons }) : t("gate_open", { reasons })) : null,
    placebo && characters ? h("p", { class: "banner small" }, t("placebo_here")) : null,
    source === "shuffled" && characters ? h("p", { class: "small" }, t("shuffled_here")) : null,
    list(advice.map(([id, principle]) => [
      h("span", { class: "id" }, id), h("b", {}, shown.includes(id) ? reached : t("advice_hidden")), " ",
      principle ? h("span", { title: principle }, code("principle", principle)) : t("principle_unknown"),
    ])),
    h("p", { class: "small dim" }, characters ? injected : "", episode ? ` ${t("remembered_as", { episode })}` : "", blocked ? ` ${t("blocked", { reason: blocked })}` : ""),
  );
}

function riskBlock([before, after, tagsBefore, tagsAfter, applied, success, harm]) {
  const names = (tags) => tags.map((tag) => (Object.hasOwn(CODES.risk, tag) ? code("risk", tag) : code("conflict", tag))).join("; ") || t("none");
  const outcome = applied ? (harm ? t("override_harm") : success ? t("override_success") : t("override_neither")) : t("override_none");
  return block(t("risk"), list([
    [h("b", {}, `${t("before")} ${before}`), ` ${names(tagsBefore)}`], [h("b", {}, `${t("after")} ${after}`), ` ${names(tagsAfter)}`], outcome,
  ], "plain small"));
}

/** Money as the tables write it. */
function dollars(value) {
  if (value > 0 && value < 0.00005) return "<$0.0001";
  return `$${value === 0 ? "0.00" : value.toFixed(4)}`;
}

function usageLine([calls, cached, failed, input, output, cost, seconds]) {
  const known = (value) => (value === null ? t("unknown") : value.toLocaleString());
  return h("p", { class: "small dim" }, t("usage_line", {
    calls, cached, failed, tokens: input === null || output === null ? t("unknown") : known(input + output),
    cost: cost === null ? t("unknown") : dollars(cost), seconds,
  }));
}

/** Everything about one sample, as elements. */
function detailOf(base, detail) {
  const [, text, , goldRows] = base;
  if (detail.x) return [h("p", { class: "annotated" }, text || t("text_unknown")), h("p", { class: "trouble" }, `${t("failed")}: ${detail.x}`), detail.u ? usageLine(detail.u) : null];
  const candidates = (detail.s1 || []).map(candidateOf);
  const final = (detail.f || []).map(finalOf);
  const gold = goldRows === null ? null : goldRows.map(goldOf);
  const legend = h("p", { class: "legend small" }, POLARITIES.map((name, number) => h("span", {}, sign(number), code("polarity", name))), h("span", {}, t("legend_bars")));
  const lost = (detail.c || []).filter((call) => call[2]);
  return [
    annotated(text, gold || [], final), legend,
    lost.length ? h("div", { class: "banner small", role: "status" }, t("partial_sample"), lost.map(callTrouble)) : null,
    goldBlock(gold, detail.g || null),
    finalBlock(final, candidates),
    stage1Block(candidates, detail.c || []),
    doubtBlock(detail),
    detail.d ? debateBlocks(detail.d) : voteBlock(detail, candidates),
    detail.m ? memoryBlock(detail.m) : null,
    detail.e ? riskBlock(detail.e) : null,
    (detail.c || []).filter((call) => call[1] !== "stage1" && !call[2]).map(callTrouble),
    detail.u ? usageLine(detail.u) : null,
  ];
}
