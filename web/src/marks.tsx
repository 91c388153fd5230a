// Which words of a text a query matched. The server says the words; where they are is found here,
// and the text is split there.

/** Words and their parts: `parseConfig`, `parse_config` and `parse config` have the same two. */
const PARTS = /\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+(?!\p{Ll})|\p{Lo}+|\p{N}+/gu;
const ENDING = /(ing|ed|es|s|ly|e)$/;

const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
/** Without an English ending, where enough is left. */
const stem = (word: string) => { const cut = word.replace(ENDING, ''); return cut.length > 2 ? cut : word; };

interface Part { from: number; to: number; word: string }
const partsOf = (text: string): Part[] => Array.from(text.matchAll(PARTS), (m) => ({ from: m.index, to: m.index + m[0].length, word: fold(m[0]) }));

/** The words that a row says it matches, and those of them in its title. */
export function matchedWords(why: string): { all: string[]; elsewhere: string[]; title: string[] } {
  const said = why.split(', ').filter(Boolean), title = said.filter((w) => w.startsWith('title:')).map((w) => w.slice(6));
  const elsewhere = said.filter((w) => !w.startsWith('title:'));
  return { all: [...elsewhere, ...title], elsewhere, title };
}

/** The longest text whose marks are looked for, in characters. */
const LONGEST = 20_000;

function ranges(text: string, words: string[], query: string): [number, number][] {
  const found: [number, number][] = [], parts = partsOf(text);
  for (const label of words) {
    const its = partsOf(label).map((part) => part.word);
    if (!its.length) continue;
    // A beginning was typed with a star, and the server names it without.
    const isOpen = query.includes(`${label}*`) || /\p{Lo}/u.test(label);
    const fits = (word: string, n: number) => word === its[n] || stem(word) === stem(its[n]) || (isOpen && n === its.length - 1 && word.startsWith(its[n]));
    for (let i = 0; i + its.length <= parts.length; i++) {
      if (its.every((_, n) => fits(parts[i + n].word, n))) found.push([parts[i].from, parts[i + its.length - 1].to]);
    }
    if (!isOpen) continue;
    for (let i = text.indexOf(label); i >= 0; i = text.indexOf(label, i + label.length)) found.push([i, i + label.length]);
  }
  return found.sort((a, b) => a[0] - b[0]);
}

/** A text with the matched words marked. */
export function Marked({ text, words, query = '' }: { text: string; words: string[]; query?: string }) {
  if (!words.length || text.length > LONGEST) return <>{text}</>;
  const shown = [];
  let at = 0;
  for (const [from, to] of ranges(text, words, query)) {
    if (from < at) continue;
    shown.push(text.slice(at, from), <mark key={from}>{text.slice(from, to)}</mark>);
    at = to;
  }
  shown.push(text.slice(at));
  return <>{shown}</>;
}
