// One question: the passage with its marks, the options or answers, what each run said, its siblings.
function answerMarks(it, passage, run) {
  const marks = [];
  const spansOf = (answer) => (answer.kind === "choice" || answer.kind === "none" ? [] : answer.spans?.length ? answer.spans : (answer.texts || []).flatMap((text) => onlyPlace(text, passage)));
  const golds = it.answers.flatMap(spansOf);
  const within = ([a, b]) => golds.some(([c, d]) => c <= a && b <= d && d - c > b - a);
  for (const [start, end] of golds) if (!within([start, end])) marks.push({ start, end, class: "gold-span", title: t("gold") });
  const told = it.runs[run];
  if (told?.answer) for (const [start, end] of spansOf(told.answer)) marks.push({ start, end, class: "said-span" + worth(it.statuses[run]), title: t("predicted") });
  return marks;
}
const worth = (kind) => (kind === "right" ? "" : kind === "partly" ? " part" : kind === "unscored" ? " open" : " off");
// A pick is right or wrong by gold, whatever else the run was scored by; of a choice there is no part.
const choiceWorth = (kind, label, golds) => (kind === "unscored" ? " open" : golds.length ? (golds.includes(label) ? "" : " off") : kind === "partly" ? " off" : worth(kind));
function options(i, it, evidence, ev, names) {
  const texts = Q().options[i], labels = labelsOf(i), many = runsOf(i).length > 1, run = runAt(i);
  const scores = it.runs[run]?.option_scores || [], golds = lettersOf(Q().gold[i]);
  const most = Math.max(...scores.map(Math.abs), 1e-9);
  return h("ul", { class: "options" }, texts.map((text, k) => {
    const label = labels[k], gold = golds.includes(label), own = evidence.filter((e) => e.label === label);
    const loose = looseOf(it, names[0]?.[0]);
    const pickers = runsOf(i).filter((r) => lettersOf(Q().runs[r].answer[i]).includes(label));
    const said = pickers.includes(run);
    const truth = it.option_truth[k], tags = Object.entries(it.option_tags[k] || {});
    const meaning = [gold && t("gold"), said && t("predicted")].filter(Boolean).join(", ");
    return h("li", { class: "option" + (gold ? " is-gold" : "") },
      h("span", { class: "mark" + (said ? " said" + choiceWorth(it.statuses[run], label, golds) : ""), title: meaning || null }, label.length > 2 ? "" : label, meaning && h("span", { class: "sr" }, meaning)),
      h("div", { class: "says" }, laidOver(text, loose[k] || [], saidOf(it, names[0]?.[0])[k] || [], evidence.filter((e) => e.source === names[0]?.[0])), ev !== "all" && own.length > 0 && [" ", uniqueNumbers(own).map(numberButton)]),
      scores.length ? h("div", { class: "score", title: t("option-score") }, spot(scores[k] ?? 0), h("i", { style: { width: Math.round((44 * Math.max(0, scores[k] ?? 0)) / most) + "px" } })) : h("span"),
      h("div", { class: "under" }, truth !== null && truth !== undefined && h("span", null, t(truth ? "true" : "false")),
        tags.map(([name, value]) => h("span", null, name === "truth" ? named("value", value) : `${named("tag", name)}: ${named("value", value)}`)),
        many && pickers.length > 0 && h("span", null, pickers.map((r) => [h("span", { class: "says-run" + choiceWorth(it.statuses[r], label, golds), title: DATA.runs[r].name }, r + 1), " "]))),
      ev === "all" && methods(evidence, names, label, gold && !sharedGold(i, evidence)), attentions(it, evidence, label, i));
  }));
}
function answers(i, it) {
  const texts = it.answers.map((a) => (a.kind === "none" ? t("no-answer") : a.kind === "choice" ? a.label : list(a.texts || [])));
  const distinct = [...new Set(texts)];
  return h("dl", { class: "answers" },
    h("dt", null, t("gold")), h("dd", null, distinct.length ? distinct.map((text) => h("span", { class: "framed" + (it.answers[texts.indexOf(text)].kind === "none" ? " none" : ""), title: t("n-references", { n: texts.filter((x) => x === text).length }) }, text)) : h("span", { title: t("no-gold") }, DASH)),
    runsOf(i).filter((r) => !DATA.runs[r].evidenceOnly).map((r) => {
      const told = shown(Q().runs[r].answer[i]);
      return [h("dt", null, runsOf(i).length > 1 ? h("bdi", null, DATA.runs[r].name) : t("predicted")),
        h("dd", null, icon(it.statuses[r]), told === null ? h("span", { title: t("status." + it.statuses[r]) }, DASH) : h("span", { class: "filled" + worth(it.statuses[r]) }, told || "“”"))];
    }));
}
function generation(told) {
  const made = told.generation;
  const text = made.text || "";
  const stops = (made.stops || []).map((stop) => (stop ? text.indexOf(stop) : -1)).filter((at) => at >= 0);
  const end = stops.length ? Math.min(...stops) : text.length;
  return h("details", { open: text.length < 600 }, h("summary", null, t("generation"), made.finish_reason && ` · ${made.finish_reason}`, made.completion_tokens ? ` · ${count(made.completion_tokens)} ${t("tokens")}` : ""),
    h("div", { class: "generation" }, text.slice(0, end), end < text.length && h("del", { title: t("cut-by-stop") }, text.slice(end)), made.finish_reason === "length" && h("span", { class: "bad" }, ` ⟂ ${t("cut-by-length")}`)));
}
function runBox(r, i, it) {
  const told = it.runs[r];
  if (!told) return null;
  const values = Object.entries(told.scores || {});
  return h("div", { class: "runbox" }, h("h3", null, icon(it.statuses[r]), h("bdi", null, DATA.runs.length > 1 ? `${r + 1}. ${DATA.runs[r].name}` : DATA.runs[r].reader)),
    h("p", { class: "line" }, values.map(([name, value]) => h("span", null, name, " ", h("b", null, value === null ? DASH : percent(value)))),
      typeof told.confidence === "number" && h("span", null, t("confidence"), " ", h("b", null, spot(told.confidence))), typeof told.seconds === "number" && h("span", null, told.seconds < 0.1 ? `${Number((told.seconds * 1000).toPrecision(2))} ms` : `${Number(told.seconds.toPrecision(3))} s`)),
    told.error && h("p", { class: "error" }, told.error), told.note && h("p", { class: "soft" }, noted(told.note)),
    told.candidates?.length > 0 && h("details", { open: told.candidates.length <= 5 && !hasOptions(i) }, h("summary", null, t("n-best", { n: told.candidates.length })),
      h("table", null, told.candidates.slice(0, 20).map(({ answer, score }) => h("tr", null, h("td", { class: "iso" }, answer.label || (answer.texts || []).join(" | ") || t("no-answer")), h("td", { class: "n" }, spot(score)))))),
    told.generation && generation(told));
}
function triple(i) {
  const family = siblings(i);
  if (family.length < 2) return null;
  const order = ["original", "positive", "negative"], role = (k) => Q().role[k];
  const sorted = [...family].sort((a, b) => order.indexOf(role(a)) - order.indexOf(role(b)) || a - b).slice(0, 6);
  const first = sorted[0], run = runAt(i), base = labelsOfAll(first);
  const column = (k) => {
    const tags = detail(k).option_tags, gold = Q().gold[k], said = covers(run, k) ? Q().runs[run].answer[k] : null, golds = lettersOf(gold), saids = lettersOf(said);
    return h("div", { class: k === i ? "here" : "" }, h("h3", null, covers(run, k) && icon(status(run, k)), k === i ? t("role." + (role(k) || "none")) : h("a", { href: hashOf(place(k)) }, t("role." + (role(k) || "none")))),
      h("p", { class: "stem" }, k === first ? Q().text[k] : difference(Q().text[first], Q().text[k])),
      hasOptions(k) ? h("ul", null, Q().options[k].map((text, o) => {
        const label = labelsOf(k)[o], origin = base.get(tags[o]?.origin || label), kinds = (golds.includes(label) ? "gold " : "") + (saids.includes(label) ? "said" : "");
        const how = [tags[o]?.truth, tags[o]?.strategy].filter(Boolean).map((v) => named("value", v)).join(" · ");
        return h("li", null, letter(label, kinds), h("div", null, k === first || origin === undefined ? text : difference(origin, text), how && k !== first && h("div", { class: "soft" }, how)));
      })) : h("p", null, h("span", { class: "framed" }, shown(Q().gold[k]) ?? DASH), " ", shown(said)));
  };
  return h("section", { class: "triple" }, h("h2", null, t("side-by-side")), h("p", { class: "soft" }, t("side-note")), h("div", { class: "side" }, sorted.map(column)));
}
const labelsOfAll = (k) => new Map(hasOptions(k) ? Q().options[k].map((text, o) => [labelsOf(k)[o], text]) : []);

function question(i) {
  const run = runAt(i);
  const it = { gold_evidence: [], option_truth: [], option_tags: [], answers: [], ...detail(i) };
  it.statuses = DATA.runs.map((_, r) => (covers(r, i) ? status(r, i) : null));
  const passage = passageOf(i), from = sources(it);
  // With several methods, or nothing but evidence, the comparison is what one came for.
  const usual = from[from.length > 3 || DATA.runs[run].evidenceOnly ? from.length - 1 : 0]?.[0];
  const ev = from.some(([name]) => name === state.ev) ? state.ev : usual;
  const names = from.filter(([name]) => name !== "all" && (ev === "all" || name === ev));
  const evidence = numbered(names.flatMap(([name]) => evidenceOf(it, name)));
  // One option's evidence alone, where it is asked for.
  const labelled = [...new Set(evidence.map((e) => e.label))].filter(Boolean).sort();
  const opt = labelled.includes(state.opt) ? state.opt : "";
  const marks = evidenceMarks(evidence.filter((e) => !opt || e.label === opt), names);
  const first = evidence.filter((e) => e.source === names[0]?.[0]), over = askedOf(it, names[0]?.[0]);
  if (opt) marks.push(...saidMarks(saidOf(it, names[0]?.[0])[labelsOf(i).indexOf(opt)], first));
  if (over) marks.push(...saidMarks(over.said, first));
  const at = shownIds.indexOf(i), language = passage?.language || DATA.lang;
  const steps = (by, sign, label) => h("button", { class: "quiet", type: "button", title: label, "aria-label": label, disabled: at < 0 || !(at + by in shownIds), on: { click: () => step(by) } }, sign);
  const tags = Q().tags.map((column) => [column.name, tagOf(column, i)]).filter(([, value]) => value !== null);
  return [
    h("div", { class: "where" }, h("a", { class: "back", href: hashOf({ q: "", d: "" }) }, "‹ ", t("list")), h("span", { class: "id" }, h("bdi", null, Q().id[i])), at >= 0 && h("span", null, `${count(at + 1)} / ${count(shownIds.length)}`),
      h("span", { class: "end" }, steps(-1, "↑ k", t("previous")), steps(1, "↓ j", t("next")))),
    h("div", { class: "two" },
      h("article", { class: "passage", lang: language, dir: "auto" }, passage ? [passage.title && h("h2", null, passage.title), marked(passage.text, [...marks, ...answerMarks(it, passage.text, run)], language)] : h("p", { class: "soft" }, t("no-passage"))),
      h("div", null, h("h2", { class: "ask", lang: language, dir: "auto" }, over ? laidOver(Q().text[i], over.loose, over.said, first) : Q().text[i] || Q().id[i]),
        it.asks_for && h("p", { class: "polarity" }, t("asks-for"), " ", h("b", null, t("polarity." + it.asks_for))),
        from.length > 0 && h("div", { class: "evbar" }, t("evidence"), h("span", { class: "segment" }, from.map(([name, label]) => h("button", { type: "button", "aria-pressed": String(name === ev), on: { click: () => go({ ev: name }, true) } }, label))),
          labelled.length > 1 && h("span", { class: "segment", role: "group", "aria-label": t("evidence.option") }, ["", ...labelled].map((label) => h("button", { type: "button", "aria-pressed": String(label === opt), on: { click: () => go({ opt: label }, true) } }, label || t("evidence.every")))),
          ev !== "all" && uniqueNumbers(evidence.filter((e) => !e.label)).map(numberButton)),
        hasOptions(i) ? [options(i, it, evidence, ev, names), ev === "all" && sharedGold(i, evidence) && [h("p", { class: "polarity" }, t("evidence.shared")), methods(evidence.map((e) => ({ ...e, label: "" })), names, "", true)]] : [answers(i, it), ev === "all" && methods(evidence, names, "", true), attentions(it, evidence, "", i)],
        ev === "all" && findingsKey(names[0][0] === "gold"),
        h("div", { class: "key" }, h("span", null, h("span", { class: "framed" }, t("gold"))), !DATA.runs[run].evidenceOnly && h("span", null, t("predicted"), " ", h("span", { class: "filled" }, t("status.right")), " ", !hasOptions(i) && [h("span", { class: "filled part" }, t("status.partly")), " "], h("span", { class: "filled off" }, t("status.wrong")), Object.values(it.statuses).includes("unscored") && [" ", h("span", { class: "filled open" }, t("status.unscored"))]),
          (over || hasOptions(i)) && evidence.length > 0 && [h("span", null, h("span", { class: hueOf(1) }, t("said")), h("sup", { class: "cov-n" }, "n")), h("span", { class: "loose" }, t("loose"))]),
        runsOf(i).map((r) => runBox(r, i, it)),
        tags.length > 0 && h("div", { class: "tagline" }, tags.map(([name, value]) => h("a", { class: "chip", href: hashOf({ tag: `${name}:${value}`, text: "", status: "" }) }, `${named("tag", name)}: ${named("value", value)}`))))),
    triple(i),
  ];
}
