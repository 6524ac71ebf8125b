// SECTIONS, written before this, has address, page, heading and words of each section.
const field = document.getElementById("search"), hits = document.getElementById("hits");
field.parentElement.hidden = false;
field.addEventListener("input", () => {
  const asked = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const scored = asked.length ? SECTIONS.map((section) => {
    const [, page, heading, words] = section.map((text) => text.toLowerCase());
    const each = asked.map((word) => 8 * heading.includes(word) + 3 * page.includes(word)
      + Math.min(words.split(word).length - 1, 5));
    return [Math.min(...each) && each.reduce((a, b) => a + b), section];
  }) : [];
  const best = scored.filter(([score]) => score).sort((a, b) => b[0] - a[0]).slice(0, 12);
  hits.replaceChildren(...best.map(([, [address, page, heading, words]]) => {
    const item = document.createElement("li"), link = document.createElement("a");
    const at = Math.max(words.toLowerCase().indexOf(asked[0]) - 40, 0);
    link.href = address;
    link.textContent = page === heading ? heading : `${page} - ${heading}`;
    item.append(link, document.createElement("br"), `${at ? "... " : ""}${words.slice(at, at + 140)} ...`);
    return item;
  }));
  if (asked.length && !best.length) hits.textContent = "Nothing found.";
});
