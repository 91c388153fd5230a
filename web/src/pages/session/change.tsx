// The changed lines of a file, as text. Where they stood is not known, so they have no numbers.
import { words } from '../../diff';
import { short } from './words';

type Word = [text: string, changed: boolean];
interface Line { kind: 'add' | 'del' | 'file' | 'same'; text: string; words?: Word[] }

function linesOf(diff: string): Line[] {
  const lines = diff.replace(/\n$/, '').split('\n').map((line): Line => {
    if (line.startsWith('@ ')) return { kind: 'file', text: line.slice(2) };
    if (line.startsWith('-')) return { kind: 'del', text: line.slice(1) };
    return line.startsWith('+') ? { kind: 'add', text: line.slice(1) } : { kind: 'same', text: line };
  });
  // Lines that were replaced one for one show which words changed.
  for (let i = 0; i < lines.length;) {
    let removed = i;
    while (lines[removed]?.kind === 'del') removed++;
    let added = removed;
    while (lines[added]?.kind === 'add') added++;
    for (let n = 0; i + n < removed && removed + n < added && removed - i === added - removed; n++) {
      const pair = words(lines[i + n].text, lines[removed + n].text);
      if (pair) [lines[i + n].words, lines[removed + n].words] = pair;
    }
    i = Math.max(added, i + 1);
  }
  return lines;
}

const SIGN = { add: '+', del: '−', file: '', same: '' };
const WHAT = { add: 'added', del: 'removed', file: '', same: '' };

export const Change = ({ text, label, isCut, root }: { text: string; label: string; isCut?: boolean; root?: string | null }) => (
  <>
    <div class="diff values" role="group" aria-label={label} tabIndex={0}>
      {linesOf(text).map((line, i) => (
        <div key={i} class={line.kind}>
          {line.kind === 'file' ? <span class="hunk-text">{short(line.text, root)}</span> : <>
            <span class="sign"><span aria-hidden="true">{SIGN[line.kind]}</span><span class="visually-hidden">{WHAT[line.kind]}</span></span>
            <span class="code">{line.words ? line.words.map(([part, changed], n) => (changed ? <b key={n}>{part}</b> : part)) : line.text || ' '}</span></>}
        </div>))}
    </div>
    {isCut && <p class="muted small">These are not all of the changed lines.</p>}
  </>
);

export const Size = ({ added, removed }: { added?: number | null; removed?: number | null }) => (
  <>{added != null && <span class="plus" aria-label={`${added} lines added`} role="img">+{added}</span>} {removed != null && <span class="minus" aria-label={`${removed} lines removed`} role="img">−{removed}</span>}</>
);
