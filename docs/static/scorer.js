/* Ranks what the search finds: guides first, then pages and the Python reference, C parameters last. */
var Scorer = {
  score: function (result) {
    const [page, title, anchor, description, score] = result;
    if (/parameter|enumerator|member/i.test(description || "")) return score - 100;
    if (page.startsWith("guide/")) return score + 100;
    if (page.startsWith("python/")) return score + 20;
    if (page.startsWith("c/")) return score - 20;
    return score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
