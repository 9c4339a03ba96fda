
"use strict";
for (const view of document.querySelectorAll(".view")) {
  const words = [...view.querySelectorAll(".word")];
  const paths = [...view.querySelectorAll(".links path")];
  const rows = [...view.querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("td")]);
  const heads = [...view.querySelectorAll("th")];
  const said = view.querySelector(".said");
  const drawing = view.querySelector(".curves");
  let held = null;

  const sideOf = (element) => ("s" in element.dataset ? "s" : "t");
  const placeOf = (element) => Number(element.dataset[sideOf(element)]);
  const textOf = (word) => word.querySelector("text").textContent;
  const same = (a, b) => a !== null && sideOf(a) === sideOf(b) && placeOf(a) === placeOf(b);

  /* Of every target word all it weighs, and where: a map from columns to per cent. */
  const looks = words
    .filter((word) => sideOf(word) === "t")
    .map((word) => {
      const [all, ...parts] = word.dataset.looks.split(" ");
      return { all: Number(all), at: new Map(parts.map((part) => part.split(":").map(Number))) };
    });

  /* The weights of a word: its row, or its column; nothing below half a per cent. */
  const weightsOf = (word) =>
    sideOf(word) === "t"
      ? looks[placeOf(word)].at
      : new Map(
          looks
            .map((look, place) => [place, look.at.get(placeOf(word)) ?? 0])
            .filter(([, weight]) => weight > 0),
        );

  /* The cells of a word, if there is a table. */
  const cellsOf = (word) => {
    if (!rows.length) return [];
    return sideOf(word) === "t" ? rows[placeOf(word)] : rows.map((row) => row[placeOf(word)]);
  };

  /* The largest weights in words; those of a row add up, the small ones as one. */
  const sentence = (word, others, weights) => {
    const found = [...weights].sort((a, b) => b[1] - a[1]).slice(0, 6);
    const parts = found.map(
      ([place, weight]) => `\u2068${textOf(others[place])}\u2069 ${Math.round(weight)} %`,
    );
    const aim = sideOf(word) === "t";
    const told = found.reduce((sum, [, weight]) => sum + weight, 0);
    const rest = aim ? Math.round(looks[placeOf(word)].all - told) : 0;
    if (rest > 0) parts.push(parts.length ? `all others ${rest} %` : `everything, ${rest} %`);
    const arrow = aim ? "looks at" : "is looked at by";
    return `\u2068${textOf(word)}\u2069 ${arrow} ${parts.join(", ") || "nothing"}`;
  };

  const show = (chosen) => {
    for (const marked of view.querySelectorAll(".on")) marked.classList.remove("on");
    for (const word of words) word.querySelector(".weight").textContent = "";
    drawing.classList.toggle("chosen", chosen !== null);
    said.textContent = "";
    if (chosen === null) return;
    const side = sideOf(chosen);
    const key = String(placeOf(chosen));
    const weights = weightsOf(chosen);
    const others = words.filter((word) => sideOf(word) !== side);
    for (const one of [...words, ...heads]) one.classList.toggle("on", same(chosen, one));
    for (const path of paths) path.classList.toggle("on", path.dataset[side] === key);
    for (const cell of cellsOf(chosen)) cell.classList.add("on");
    for (const [place, weight] of weights) {
      others[place].querySelector(".weight").textContent = Math.round(weight);
    }
    said.textContent = sentence(words.find((word) => same(chosen, word)), others, weights);
  };

  const keep = (word) => {
    held = word;
    for (const one of words) one.setAttribute("aria-pressed", String(same(held, one)));
  };

  const hold = (word) => {
    keep(same(held, word) ? null : word);
    show(word);
  };

  const release = () => {
    keep(null);
    show(null);
  };

  const step = (word, by) => {
    const line = words.filter((other) => sideOf(other) === sideOf(word));
    const leftward = line.length > 1 && middle(line[1]) < middle(line[0]);
    line[placeOf(word) + (leftward ? -by : by)]?.focus();
  };

  const middle = (word) => Number(word.querySelector("text").getAttribute("x"));

  /* To the word of the other line that weighs most. */
  const cross = (word) => {
    const [best = 0] = [...weightsOf(word)].sort((a, b) => b[1] - a[1])[0] ?? [];
    words.filter((other) => sideOf(other) !== sideOf(word))[best].focus();
  };

  const keys = {
    ArrowLeft: (word) => step(word, -1),
    ArrowRight: (word) => step(word, 1),
    ArrowUp: (word) => sideOf(word) === "t" && cross(word),
    ArrowDown: (word) => sideOf(word) === "s" && cross(word),
    Enter: hold,
    " ": hold,
    Escape: release,
  };

  for (const element of [...words, ...heads]) {
    element.addEventListener("pointerenter", () => show(element));
    element.addEventListener("pointerleave", () => show(held));
    element.addEventListener("click", () => hold(element));
  }
  words.forEach((word, number) => {
    word.setAttribute("tabindex", number === 0 ? "0" : "-1");
    word.addEventListener("focus", () => {
      for (const other of words) other.setAttribute("tabindex", other === word ? "0" : "-1");
      show(word);
    });
    word.addEventListener("blur", () => show(held));
    word.addEventListener("keydown", (event) => {
      if (!(event.key in keys)) return;
      event.preventDefault();
      keys[event.key](word);
    });
  });
}
