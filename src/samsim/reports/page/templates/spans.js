// The text with its spans: every span has a lane of its own under the words, so that spans may overlap at will.

const LANE = 5;

/** Where words stand in the text (in characters): as told, or where they are found next to that place. */
function placeOf(characters, words, near) {
  const wanted = Array.from(words || "");
  if (!wanted.length) return null;
  let best = null;
  for (let at = 0; at + wanted.length <= characters.length; at += 1) {
    if (wanted.every((character, offset) => characters[at + offset] === character)) {
      if (best === null || Math.abs(at - near) < Math.abs(best - near)) best = at;
    }
  }
  return best === null ? null : [best, best + wanted.length];
}

/** The spans of one side (gold or final): aspects as bars, the words of opinions as dotted ones. */
function spansOf(characters, tuples, side) {
  const spans = [];
  tuples.forEach((tuple, number) => {
    const name = `${side}${number + 1}`;
    const near = Math.max(0, tuple.start);
    if (tuple.term && tuple.start >= 0 && tuple.end > tuple.start && tuple.end <= characters.length) {
      spans.push({ name, start: tuple.start, end: tuple.end, polarity: tuple.polarity, kind: "aspect" });
    } else if (tuple.term) {
      const found = placeOf(characters, tuple.term, near);
      if (found) spans.push({ name, start: found[0], end: found[1], polarity: tuple.polarity, kind: "aspect" });
    }
    for (const words of tuple.said) {
      const found = placeOf(characters, words, near);
      if (found) {
        spans.push({ name, start: found[0], end: found[1], polarity: tuple.polarity, kind: "opinion" });
        break;
      }
    }
  });
  return spans;
}

/** Give each span the first lane that is free where it stands. */
function intoLanes(spans, firstLane) {
  const lanes = [];
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    let lane = lanes.findIndex((end) => end <= span.start);
    if (lane < 0) lane = lanes.push(0) - 1;
    lanes[lane] = span.end;
    span.lane = firstLane + lane;
  }
  return lanes.length;
}

function bar(span) {
  const colour = `var(--${POLARITIES[span.polarity]})`;
  const top = `calc(1.4em + ${span.lane * LANE}px)`;
  const paint = span.kind === "aspect"
    ? `linear-gradient(${colour}, ${colour})`
    : `repeating-linear-gradient(90deg, ${colour} 0 3px, transparent 3px 5px)`;
  return { paint, place: `0 ${top}`, size: `100% ${span.kind === "aspect" ? 3 : 2}px` };
}

function segment(text, spans, lanes) {
  const element = h("span", { class: "seg" }, text);
  element.style.paddingBottom = `${lanes * LANE + 2}px`;
  if (!spans.length) return element;
  const bars = spans.map(bar);
  element.style.backgroundImage = bars.map((one) => one.paint).join(", ");
  element.style.backgroundPosition = bars.map((one) => one.place).join(", ");
  element.style.backgroundSize = bars.map((one) => one.size).join(", ");
  element.dataset.spans = spans.map((one) => one.name).join(" ");
  element.title = spans.map((one) => `${one.name}: ${t(one.kind)}, ${code("polarity", POLARITIES[one.polarity])}`).join("\n");
  return element;
}

/** The text with the spans of gold above those of the final tuples. */
function annotated(text, gold, final) {
  const characters = Array.from(text);
  const goldSpans = spansOf(characters, gold, "G");
  const finalSpans = spansOf(characters, final, "F");
  const goldLanes = intoLanes(goldSpans, 0);
  const lanes = goldLanes + intoLanes(finalSpans, goldLanes);
  const spans = [...goldSpans, ...finalSpans];
  const edges = [...new Set([0, characters.length, ...spans.flatMap((span) => [span.start, span.end])])].sort((a, b) => a - b);
  const holder = h("p", { class: "annotated", dir: "auto" });
  holder.style.lineHeight = `calc(1.7em + ${lanes * LANE + 6}px)`;
  for (let at = 0; at + 1 < edges.length; at += 1) {
    const [start, end] = [edges[at], edges[at + 1]];
    for (const span of spans) {
      if (span.start === start && span.kind === "aspect") {
        holder.append(h("span", { class: `tag ${POLARITIES[span.polarity]}`, "aria-hidden": "true" }, span.name));
      }
    }
    const inside = spans.filter((span) => span.start <= start && end <= span.end);
    holder.append(segment(characters.slice(start, end).join(""), inside, lanes));
  }
  return holder;
}
