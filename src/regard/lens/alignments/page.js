
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

  /* The cells of a word: its row, or its column. */
  const cellsOf = (word) =>
    sideOf(word) === "t" ? rows[placeOf(word)] : rows.map((row) => row[placeOf(word)]);

  const sentence = (word, others, cells) => {
    const arrow = sideOf(word) === "t" ? "looks at" : "is looked at by";
    const found = others
      .map((other, place) => [Number(cells[place].textContent), textOf(other)])
      .filter(([weight]) => weight >= 1)
      .sort((a, b) => b[0] - a[0])
      .slice(0, 6)
      .map(([weight, text]) => `\u2068${text}\u2069 ${weight} %`);
    return `\u2068${textOf(word)}\u2069 ${arrow} ${found.join(", ") || "nothing"}`;
  };

  const show = (chosen) => {
    for (const marked of view.querySelectorAll(".on")) marked.classList.remove("on");
    for (const word of words) word.querySelector(".weight").textContent = "";
    drawing.classList.toggle("chosen", chosen !== null);
    said.textContent = "";
    if (chosen === null) return;
    const side = sideOf(chosen);
    const key = String(placeOf(chosen));
    const cells = cellsOf(chosen);
    const others = words.filter((word) => sideOf(word) !== side);
    for (const one of [...words, ...heads]) one.classList.toggle("on", same(chosen, one));
    for (const path of paths) path.classList.toggle("on", path.dataset[side] === key);
    for (const cell of cells) cell.classList.add("on");
    others.forEach((other, place) => {
      const weight = cells[place].textContent;
      other.querySelector(".weight").textContent = weight === "0" ? "" : weight;
    });
    said.textContent = sentence(words.find((word) => same(chosen, word)), others, cells);
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
    const weights = cellsOf(word).map((cell) => Number(cell.textContent));
    const best = weights.indexOf(Math.max(...weights));
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
