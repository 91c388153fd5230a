// A unified diff as the server made it, drawn as text. Lines that were replaced one for one show
// which words changed.
import { useSignal } from '@preact/signals';
import { number } from './ui';

type Word = [text: string, changed: boolean];

const WORD = /[\p{L}\p{N}_]+|\s+|./gsu;
/** The most pairs of words that are compared; longer lines show no words. */
const MOST_PAIRS = 40_000;
/** Below this share of common text a line was written anew, and marked words only confuse. */
const LEAST_COMMON = 0.3;
/** How many lines are shown at first. */
const FIRST = 400;

/** Which words differ, by longest common subsequence; `null` if that says nothing. */
export function words(before: string, after: string): [Word[], Word[]] | null {
  const x = before.match(WORD) ?? [], y = after.match(WORD) ?? [];
  if (x.length * y.length > MOST_PAIRS) return null;
  const w = y.length + 1, longest = new Uint32Array((x.length + 1) * w);
  for (let i = x.length - 1; i >= 0; i--) {
    for (let j = y.length - 1; j >= 0; j--) {
      longest[i * w + j] = x[i] === y[j] ? longest[(i + 1) * w + j + 1] + x[i].trim().length : Math.max(longest[(i + 1) * w + j], longest[i * w + j + 1]);
    }
  }
  if (longest[0] < LEAST_COMMON * Math.max(before.replace(/\s/g, '').length, after.replace(/\s/g, '').length)) return null;
  const left: Word[] = [], right: Word[] = [];
  // Neighbours of one kind are one part: fewer elements, and no gaps between marked words.
  const put = (to: Word[], text: string, changed: boolean) => {
    const last = to[to.length - 1];
    if (last && last[1] === changed) last[0] += text; else to.push([text, changed]);
  };
  let i = 0, j = 0;
  while (i < x.length || j < y.length) {
    if (i < x.length && j < y.length && x[i] === y[j]) { put(left, x[i++], false); put(right, y[j++], false); }
    else if (j < y.length && (i === x.length || longest[i * w + j + 1] >= longest[(i + 1) * w + j])) put(right, y[j++], true);
    else put(left, x[i++], true);
  }
  return [left, right];
}

interface Line { kind: 'hunk' | 'del' | 'add' | 'same' | 'note'; old: number; new: number; text: string; words?: Word[] }

/** The lines of a unified diff, without the names of its files. */
function linesOf(diff: string): Line[] {
  const hasHunks = /^@@ -/m.test(diff);
  let a = 1, b = 1, left = 0, right = 0;
  const lines: Line[] = [];
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const hunk = left <= 0 && right <= 0 ? /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line) : null;
    if (hunk) {
      [a, left, b, right] = [Number(hunk[1]), Number(hunk[2] ?? 1), Number(hunk[3]), Number(hunk[4] ?? 1)];
      lines.push({ kind: 'hunk', old: 0, new: 0, text: line });
    } else if (hasHunks && left <= 0 && right <= 0 && /^(---|\+\+\+) /.test(line)) continue;
    else if (line.startsWith('\\')) lines.push({ kind: 'note', old: 0, new: 0, text: line.slice(2) });
    else if (line.startsWith('-')) { lines.push({ kind: 'del', old: a++, new: 0, text: line.slice(1) }); left--; }
    else if (line.startsWith('+')) { lines.push({ kind: 'add', old: 0, new: b++, text: line.slice(1) }); right--; }
    else { lines.push({ kind: 'same', old: a++, new: b++, text: line.slice(1) }); left--; right--; }
  }
  for (let i = 0; i < lines.length;) {
    let removed = i;
    while (lines[removed]?.kind === 'del' || (removed > i && lines[removed]?.kind === 'note')) removed++;
    let added = removed;
    while (lines[added]?.kind === 'add') added++;
    const gone = lines.slice(i, removed).filter((line) => line.kind === 'del');
    if (gone.length && gone.length === added - removed) {
      gone.forEach((line, n) => {
        const its = lines[removed + n], pair = words(line.text, its.text);
        if (pair) [line.words, its.words] = pair;
      });
    }
    i = Math.max(added, i + 1);
  }
  return lines;
}

const SIGN: Record<Line['kind'], string> = { add: '+', del: '−', same: ' ', hunk: '', note: '' };
const Words = ({ of }: { of: Word[] }) => <>{of.map(([text, changed], i) => (changed ? <b key={i}>{text}</b> : text))}</>;

/** A unified diff. It can be scrolled by keys. */
export function Diff({ text, label }: { text: string; label: string }) {
  const all = useSignal<string | null>(null);
  const lines = linesOf(text), shown = all.value === text ? lines : lines.slice(0, FIRST);
  return (
    <>
      <div class="diff" role="group" aria-label={label} tabIndex={0}>
        {shown.map((line, i) => (
          <div key={i} class={line.kind}>
            {line.kind === 'hunk' || line.kind === 'note' ? <span class="hunk-text">{line.text}</span> : <>
              <span class="ln">{line.old || ''}</span><span class="ln">{line.new || ''}</span>
              <span class="sign">{SIGN[line.kind]}</span><span class="code">{line.words ? <Words of={line.words} /> : line.text || ' '}</span></>}
          </div>))}
      </div>
      {shown.length < lines.length && <p><button class="link" onClick={() => { all.value = text; }}>Show {number(lines.length - shown.length)} more lines</button></p>}
    </>
  );
}

/** One value in place of another. */
export function Replace({ before, after, label }: { before?: string | null; after: string; label: string }) {
  const old = before?.split('\n') ?? [], now = after.split('\n');
  const pair = old.length === 1 && now.length === 1 ? words(old[0], now[0]) : null;
  return (
    <div class="diff values" role="group" aria-label={label} tabIndex={0}>
      {old.map((line, i) => <div key={`-${i}`} class="del"><span class="sign">−</span><span class="code">{pair ? <Words of={pair[0]} /> : line || ' '}</span></div>)}
      {now.map((line, i) => <div key={`+${i}`} class="add"><span class="sign">+</span><span class="code">{pair ? <Words of={pair[1]} /> : line || ' '}</span></div>)}
    </div>
  );
}
