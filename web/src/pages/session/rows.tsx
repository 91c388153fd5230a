// One row of a session. Every text of an agent, a tool or a repository is shown as text.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { base, count, Icon } from '../../ui';
import { about, toYou } from '../../words';
import { Change, Size } from './change';
import type { Item, Row } from './timeline';
import { appletLink, causeOf, clock, fileLink, short, tookWords } from './words';

type Its = { row: Row; root?: string | null };

/** A text of which the beginning is shown, with a way to the rest. */
function Long({ text, lines, as: Part = 'p', class: its, label }: { text: string; lines: number; as?: 'p' | 'pre' | 'code' | 'blockquote' | 'span'; class?: string; label?: string }) {
  const [isOpen, setOpen] = useState(false);
  const all = text.split('\n'), most = lines * 160;
  const isLong = all.length > lines + 2 || text.length > most + 200;
  const shown = isLong && !isOpen ? `${all.slice(0, lines).join('\n').slice(0, most)}…` : text;
  return (
    <>
      <Part class={its} {...(Part === 'pre' ? { tabIndex: 0, 'aria-label': label, role: 'group' } : {})}>{shown}</Part>
      {isLong && <button class="link rest" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>{isOpen ? 'Show less' : all.length > lines + 2 ? `Show all ${all.length} lines` : 'Show all'}</button>}
    </>
  );
}

const FileName = ({ file, root }: { file: string; root?: string | null }) => <a href={fileLink(file)} title={file}>{short(file, root)}</a>;
const list = (parts: ComponentChildren[]) => parts.flatMap((part, i) => (i ? [', ', part] : [part]));

/** How a command ended, in words. */
function Ended({ row }: Its) {
  const { verdict, tests_passed: passed, tests_failed: failed } = row, isBad = row.failed || verdict === 'failed';
  const tests = [failed ? `${failed} failed` : '', passed ? `${passed} passed` : ''].filter(Boolean).join(', ');
  const exit = row.failed && row.exit != null && !tests ? `, exit ${row.exit}` : '';
  const [mark, word, words] = isBad ? ['✗', 'failed', (failed ? tests : 'failed') + exit]
    : verdict === 'passed' ? ['✓', 'passed', tests || 'passed'] : verdict === 'unknown' ? ['?', 'unknown', 'outcome unknown'] : ['', '', ''];
  return (
    <>{mark && <span class={`verdict ${word}`}><span aria-hidden="true">{mark}</span> {words}</span>}
      {row.took_ms != null && <span class="muted">{tookWords(row.took_ms)}</span>}</>
  );
}

function Output({ row }: Its) {
  const [isOpen, setOpen] = useState(row.failed || row.verdict === 'failed');
  // The status is beside the command already.
  const text = row.output?.replace(/^Exit code \d+\n/, '').replace(/\s+$/, '');
  if (!text) return null;
  return (
    <>
      {!row.failed && row.verdict !== 'failed' && <button class="link rest" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>Output</button>}
      {isOpen && <Long as="pre" class={`out ${row.failed || row.verdict === 'failed' ? 'bad-out' : ''}`} text={text} lines={12} label={`Output of ${row.text.slice(0, 80)}`} />}
    </>
  );
}

const Command = ({ row }: Its) => (
  <>
    <div class="ran"><Long as="code" text={row.text} lines={3} /> <Ended row={row} /></div>
    <Output row={row} />
  </>
);

function Changed({ row, root }: Its) {
  const [isOpen, setOpen] = useState(false);
  const files = row.files?.length ? row.files : [row.text], more = row.more_files ?? 0;
  return (
    <>
      <p class="ran"><span>{list(files.map((file) => <FileName key={file} file={file} root={root} />))}{more > 0 && ` and ${more} more`}</span>
        <Size added={row.added} removed={row.removed} />{row.failed && <span class="verdict failed"><span aria-hidden="true">✗</span> failed</span>}
        {row.diff && <button class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>{isOpen ? 'Hide lines' : 'Show lines'}<span class="visually-hidden"> of {base(files[0])}</span></button>}</p>
      {isOpen && row.diff && <Change text={row.diff} label={`Changed lines of ${base(files[0])}`} isCut={row.diff_cut} root={root} />}
    </>
  );
}

function Given({ row }: Its) {
  const [isOpen, setOpen] = useState(false);
  const its = row.injection;
  if (!its) return null;
  const used = its.injected.filter((line) => line.used_at).length;
  return (
    <div class="gave">
      <button class="gave-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <b>Nudge gave {count(its.lines, 'line')}</b> <span>{causeOf(its.cause)} · {count(its.tokens, 'token')} · {used ? `${used} used` : 'not used yet'}</span></button>
      {isOpen && <ul>{its.injected.map((line, i) => (
        <li key={`${line.id}-${i}`}><span>{about(line.what)}</span>
          <span class="muted">{[toYou(line.why), line.tokens > 0 ? count(line.tokens, 'token') : 'in the line above', line.used_at ? `used ${clock(line.used_at)}` : 'not used'].join(' · ')}</span></li>))}
        {its.left_out.length > 0 && <li><span class="muted">Left out: {count(its.left_out.length, 'line')}</span></li>}</ul>}
    </div>
  );
}

const EXPECTS: Record<string, [string, string]> = { active: ['Expects', 'Predicted'], confirmed: ['Confirmed', 'Seen'], falsified: ['Wrong', 'Seen'], abandoned: ['Given up', 'Because'] };
function Expected({ row }: Its) {
  const [word, what] = EXPECTS[row.verdict ?? ''] ?? [row.verdict ?? 'Hypothesis', 'Seen'];
  return <div class={`hyp ${row.verdict ?? ''}`}><p><b>{word}</b> {row.text}</p>{row.output && <p class="muted small">{what}: {row.output}</p>}</div>;
}

/** The message of a commit, where the command names it. */
function Committed({ row }: Its) {
  const message = /\s-[a-z]*m\s*(['"])((?:(?!\1)[^\\]|\\.)*)\1/s.exec(row.text)?.[2];
  return <div class="ran">{message && !message.startsWith('$(') ? <span>committed <b>{message}</b></span> : <Long as="code" text={row.text} lines={3} />}<Ended row={row} /></div>;
}

const DID: Record<string, string> = { task_spawn: 'started a subagent: ', web_fetch: 'fetched ', web_search: 'searched the web: ', git_push: '', session_end: 'The session ended: ', session_compact: 'The context was compacted: ' };
const STARTED: Record<string, string> = { startup: 'The session began.', resume: 'The session was resumed.', clear: 'The context was cleared.', compact: 'The context was compacted.' };

function body({ row, root }: Its): ComponentChildren {
  switch (row.kind) {
    case 'command': case 'command_error': return <Command row={row} />;
    case 'file_edit': case 'file_write': return <Changed row={row} root={root} />;
    case 'injection': return <Given row={row} />;
    case 'hypothesis': return <Expected row={row} />;
    case 'git_commit': return <Committed row={row} />;
    case 'git_push': return <Command row={row} />;
    case 'conclusion': return <Long as="blockquote" text={row.text} lines={12} />;
    case 'marker': return <><Long text={row.text} lines={8} />{row.stated_by && <p class="muted small">{row.stated_by}</p>}</>;
    case 'session_start': return <p class="quiet-text">{STARTED[row.text] ?? `The session began: ${row.text}`}</p>;
    case 'mcp_call': case 'tool_other': return <><div class="ran quiet-text"><Long as="code" text={row.text} lines={3} /><Ended row={row} /></div><Output row={row} /></>;
    default: return <><div class="ran quiet-text"><Long as="span" text={(DID[row.kind] ?? `${row.kind.replace(/_/g, ' ')}: `) + row.text} lines={3} /><Ended row={row} /></div>{row.failed && <Output row={row} />}</>;
  }
}

const ICONS: Record<string, string> = {
  command: 'command', command_error: 'command', file_edit: 'change', file_write: 'change', file_read: 'look', search: 'look', web_fetch: 'look', web_search: 'look',
  git_commit: 'commit', git_push: 'commit', injection: 'given', hypothesis: 'hypothesis', conclusion: 'said', marker: 'note',
};
const toneOf = (row: Row) => (row.failed || row.verdict === 'failed' || row.verdict === 'falsified' ? 'failed'
  : row.verdict === 'passed' || row.verdict === 'confirmed' ? 'passed' : row.kind === 'hypothesis' ? 'warn' : row.kind === 'injection' ? 'accent' : '');

/** What was read or searched, as in “searched x in src, read a.ts, b.ts (4 reads)”. */
function Looks({ rows, root }: { rows: Row[]; root?: string | null }) {
  const files = [...new Set(rows.filter((row) => row.kind === 'file_read').flatMap((row) => (row.files?.length ? row.files : [row.text])))];
  const reads = rows.filter((row) => row.kind === 'file_read').length;
  const searches = rows.filter((row) => row.kind === 'search').map((row) => {
    const where = row.files?.[0], end = where ? ` in ${where}` : '';
    return end && row.text.endsWith(end) ? `“${row.text.slice(0, -end.length)}” in ${short(where as string, root)}` : `“${row.text}”`;
  });
  const shown = files.slice(0, 6), more = files.length - shown.length;
  return (
    <p class="quiet-text">{searches.length > 0 && `searched ${searches.slice(0, 3).join(', ')}${searches.length > 3 ? ` and ${searches.length - 3} more` : ''}${reads ? ', ' : ''}`}
      {reads > 0 && <>read {list(shown.map((file) => <a key={file} href={fileLink(file)} title={file}>{base(file)}</a>))}{more > 0 && ` and ${more} more`}{reads > 1 && <> ({reads} reads)</>}</>}</p>
  );
}

/** The time, which opens what was around it. */
function When({ row }: Its) {
  const time = <time class="time" dateTime={row.at}>{clock(row.at)}</time>;
  return row.id == null ? time : <a class="time" href={appletLink('around', [['id', String(row.id)]])} title="What was around it">{time}<span class="visually-hidden">, what was around it</span></a>;
}

export function Line({ item, root }: { item: Item; root?: string | null }) {
  if ('pause' in item) return <li class="gap"><span>{item.pause}</span></li>;
  const row = 'looks' in item ? item.looks[0] : item.row;
  return (
    <li class={`line of-${row.kind}`} data-row data-key={item.key} tabIndex={-1}>
      <When row={row} /><Icon name={ICONS[row.kind] ?? 'other'} class={toneOf(row)} />
      <div class="body">{row.subagent && <span class="badge">{row.subagent}</span>}{row.is_pinned && <span class="badge accent">pinned</span>}
        {'looks' in item ? <Looks rows={item.looks} root={root} /> : body({ row, root })}</div>
    </li>
  );
}

/** A prompt, as a heading. */
export function Asked({ id, at, text, source, isContinued, isCut }: { id: string; at: string; text: string; source: string; isContinued: boolean; isCut: boolean }) {
  return (
    <h2 class={`prompt-head ${isContinued ? 'continued' : ''}`} id={id} tabIndex={-1} data-row data-key={id}>
      <time class="time" dateTime={at}>{clock(at)}</time><span class="who">{source === 'user' ? 'You' : source === 'agent' ? 'Agent' : 'Program'}</span>
      <span class="asked">{isContinued && <span class="muted">continued: </span>}{isCut ? text : <Long as="span" text={text} lines={8} />}</span></h2>
  );
}
