// Failures: what fails again and again, and what helped.
import { useSignal } from '@preact/signals';
import type { Operations } from '../api';
import { link, linkWith, project } from '../state';
import { count, inWords, number, Section, Trouble, useAnswer } from '../ui';
import { capital, dayAndTime, sentence, short } from '../words';

type Learned = Operations['learn']['result'];
type Row = Learned['failed_commands'][number];

/** How often something must have failed to be shown, and how many rows there are at most. */
const LEAST = 2, MOST = 100;
const dated = (seconds: number) => dayAndTime(new Date(seconds * 1000).toISOString());
const times = (n: number) => (n === 1 ? 'once' : `${number(n)} times`);
const SessionLink = ({ id }: { id: string }) => <a href={link(`/s/${encodeURIComponent(id)}`)}>session {short(id)}</a>;

/** What followed is the server's sentence; how often it was seen is in brackets at its end. */
function Cure({ followed }: { followed?: string | null }) {
  if (!followed) return <span class="muted">what helped is not known</span>;
  const [, what, seen] = /^(.*?)(?: \(([^()]*)\))?$/s.exec(followed) ?? [];
  return <><span class={seen && !seen.includes('not proven') ? 'good' : ''}>{capital(what ?? followed)}</span>{seen && <span class="muted"> · {seen.replace(/^(\d+ of)/, 'in $1')}</span>}</>;
}

function Fixes({ row, its, error }: { row: Row; its: string; error?: string }) {
  const { answer, fault } = useAnswer('find_fix', () => ({ error: row.newest, project: its }), (method) => method === 'session.listChanged');
  const known = answer.value?.known ?? [], alike = answer.value?.alike ?? [];
  return (
    <div class="fixes" aria-busy={!answer.value && !fault.value}>
      {fault.value && <Trouble fault={fault.value} />}
      <ul class="plain">
        {known.map((k) => (
          <li key={`${k.id} ${k.command}`}>{k.error && k.error !== error && <code class="error-line">{k.error}</code>}<p><Cure followed={k.followed} /></p>
            <p class="muted">{k.command !== row.newest && <><code>{k.command}</code> </>}failed {times(k.times)} in {count(k.sessions, 'session')}, last {dated(k.last)} · <a href={linkWith('/got', { id: k.id })}>Do agents get this?</a></p></li>))}
        {alike.map((a) => (
          <li key={a.id}><p><code>{a.command}</code></p><p class="muted whole">{a.text}</p><p><Cure followed={a.followed} /></p><p class="muted">alike, last {dated(a.last)}</p></li>))}
      </ul>
      {answer.value && known.length + alike.length === 0 && <p class="muted">Nothing more is known about it.</p>}
      <p class="muted">First failed {dated(row.first_seen)}, last {dated(row.last_seen)} in <SessionLink id={row.session_id} />.
        {row.worked_after && <> It passed {dated(row.worked_after.timestamp)} in <SessionLink id={row.worked_after.session_id} />.</>}
        {!row.worked_after && row.ran_later && <> It ran again {dated(row.ran_later.timestamp)} in <SessionLink id={row.ran_later.session_id} />.</>}
        {' '}<a href={linkWith('/search', { q: `"${row.newest.split('\n')[0].replaceAll('"', ' ').slice(0, 200)}"`, type: 'command_error' })}>Search all of them</a></p>
    </div>
  );
}

function Failure({ row, error, command }: { row: Row; error?: string; command?: string }) {
  const isOpen = useSignal(false);
  const its = project.value === '*' ? row.projects?.[0] : project.value;
  return (
    <li data-failure={row.pattern}><button class="row failure" data-row aria-expanded={isOpen.value} onClick={() => { isOpen.value = !isOpen.value; }}>
      <span class="grow"><code class="title">{command ?? row.newest}</code>{error && <span class="error-line">{error}</span>}</span>
      <span class="cure"><Cure followed={row.followed} /></span>
      <span class="often"><b>{number(row.count)}</b> {row.count === 1 ? 'time' : 'times'} in {count(row.sessions, 'session')}<span class="sub">last {dated(row.last_seen)}{row.projects && ` in ${[...new Set(row.projects)].join(', ')}`}</span></span></button>
      {isOpen.value && its && <Fixes key={its} row={row} its={its} error={error} />}</li>
  );
}

/** The state in a sentence. */
function summary({ failed_commands: commands, error_signatures: errors, looked_at: of }: Learned) {
  if (!commands.length && !errors.length) return of.failed_commands ? `Nothing failed twice: ${count(of.failed_commands, 'command')} failed once.` : 'No command failed.';
  const helped = commands.filter((c) => c.followed).length;
  return `${inWords(commands.length)} ${commands.length === 1 ? 'command' : 'commands'} failed more than once.${commands.length ? ` For ${helped === commands.length ? (helped === 1 ? 'it' : 'each of them') : helped ? inWords(helped).toLowerCase() : 'none'}, it is known what helped.` : ''}`;
}

export function Failures() {
  const { answer, fault, isBusy } = useAnswer('learn', () => ({ project: project.value, threshold: LEAST, limit: MOST, failures_only: true }), (method) => method === 'session.listChanged');
  const its = answer.value, commands = its?.failed_commands ?? [], errors = its?.error_signatures ?? [];
  // An error is shown with its command; one that several commands met has a row of its own.
  const errorOf = (row: Row) => errors.find((e) => e.id === row.id) ?? errors.find((e) => e.command === row.newest);
  const attached = new Set(commands.map(errorOf)), others = errors.filter((e) => !attached.has(e));
  return (
    <div class="page" aria-busy={isBusy.value}>
      <div class="lead"><h1>Failures</h1>{its && <p class="summary">{summary(its)}</p>}<p class="muted">What ran or changed before it passed is told as it was seen, not as advice.</p></div>
      {fault.value && <Trouble fault={fault.value} />}
      {its && commands.length + errors.length === 0 && <div class="empty"><h2>Nothing keeps failing</h2><p class="muted">A command that fails in two sessions appears here, with what helped. To ask about an error in a terminal:</p><p class="command"><code>nudge fix "connection refused"</code></p></div>}
      {commands.length > 0 && <Section title="Commands" id="commands"><ul class="rows">{commands.map((row) => <Failure key={row.pattern} row={row} error={errorOf(row)?.newest} />)}</ul></Section>}
      {others.length > 0 && <Section title="Errors of several commands" id="errors"><ul class="rows">{others.map((row) => <Failure key={row.pattern} row={row} command={row.command} error={row.newest} />)}</ul></Section>}
      {its && its.left_out.failed_commands > 0 && <p class="muted">{sentence(`${number(its.left_out.failed_commands)} more failed less often`)}</p>}
    </div>
  );
}
