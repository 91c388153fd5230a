// Health: what `nudge doctor` and `nudge status` say, the state first.
import { readCommand } from '../server';
import { now } from '../state';
import { ago, Copy, count, DayBars, inWords, number, Section, span, Trouble, useFound } from '../ui';
import { capital, dayAndTime, kindOf, sentence } from '../words';

interface Check { name: string; verdict: 'ok' | 'warn' | 'fail'; message: string; way_out?: string; fixable: boolean }
interface Doctor { ok: boolean; checks: Check[] }
interface Stored {
  database_bytes: number; log_bytes: number; spool_bytes: number; drops: number; entries: number; hints: number; projects: number; sessions: number; prompts: number; observations: number;
  kinds: Record<string, number>; pinned: number; summaries: number; duplicates: number; oldest?: string | null;
  days: { day: string; entries: number; lost: number }[];
}
interface HookHour { hour: string; counts: number[] }
interface Status { version?: string; pid?: number; port?: number; started?: string; uptime_s?: number; injects?: boolean; captures?: boolean; off?: boolean; stored?: Stored; hook_times?: HookHour[] }

const MARK = { ok: ['✓', 'ok', 'good-badge'], warn: ['!', 'look', 'warn'], fail: ['✗', 'fix', 'bad-badge'] };
/** What doctor always checks, to be listed before it has answered. */
const CHECKS = ['home', 'disk', 'store', 'index', 'run', 'server', 'token', 'versions', 'settings', 'hooks', 'drops'].map((name): Check => ({ name, verdict: 'ok', message: '', fixable: false }));
const FIX = 'nudge doctor --fix';
const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];
/** How many kinds of entries are drawn. */
const KINDS = 8, YEAR = 365 * 86_400_000, DAY = 86_400_000;

function size(bytes: number) {
  let n = bytes, i = 0;
  while (n >= 1000 && i < UNITS.length - 1) { n /= 1000; i++; }
  return `${i && n < 10 ? n.toFixed(1) : number(Math.round(n))} ${UNITS[i]}`;
}
const named = (names: string[]) => (names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`);

/** The state in a sentence. */
function summary({ checks }: Doctor) {
  const of = (verdict: string) => [...new Set(checks.filter((c) => c.verdict === verdict).map((c) => c.name))], failed = of('fail'), odd = of('warn');
  if (!failed.length && !odd.length) return 'Everything works.';
  const look = odd.length ? `${failed.length ? ' Also worth' : ' Worth'} a look: ${named(odd)}.` : '';
  return failed.length ? `${inWords(failed.length)} ${failed.length === 1 ? 'thing needs' : 'things need'} a fix: ${named(failed)}.${look}` : `Everything works.${look}`;
}

/** A next step; its commands can be copied. */
const Steps = ({ text }: { text: string }) => <>{text.split('`').map((part, i) => (i % 2 ? <Copy key={i} text={part} /> : part))}</>;

/** A check, or that it is on its way. */
const CheckRow = ({ its, waits }: { its: Check; waits: boolean }) => {
  const [sign, word, kind] = waits ? ['…', 'checking', ''] : MARK[its.verdict] ?? MARK.warn;
  return (
    <li data-check={its.name} data-verdict={waits ? 'checking' : its.verdict}><div class="row check"><span class={`badge ${kind}`}><span aria-hidden="true">{sign}</span> {word}</span>
      <span class="grow"><span class="title">{its.name}</span><span class="whole">{its.message}</span>{its.way_out && <span class="way-out"><Steps text={sentence(its.way_out)} /></span>}{its.fixable && !its.way_out?.includes(FIX) && <Copy text={FIX} />}</span></div></li>
  );
};

const sum = (of: number[]) => of.reduce((n, m) => n + m, 0);

function Growth({ its }: { its: Stored }) {
  const lost = sum(its.days.map((d) => d.lost));
  const bytes = its.database_bytes + its.log_bytes, since = its.oldest ? now.value - Date.parse(its.oldest) : 0;
  const kinds = Object.entries(its.kinds).sort((a, b) => b[1] - a[1]), shown = kinds.slice(0, KINDS), most = Math.max(1, ...shown.map(([, n]) => n));
  return (
    <>
      <Section title="Stored" id="stored">
        <dl class="facts">{([['Entries', its.entries], ['Prompts', its.prompts], ['Sessions', its.sessions], ['Projects', its.projects], ['Hints', its.hints], ['Pinned', its.pinned], ['Summaries', its.summaries]] as const).map(([name, n]) => <div key={name}><dt>{name}</dt><dd>{number(n)}</dd></div>)}
          <div><dt>On disk</dt><dd>{size(bytes)}</dd></div>
          {its.spool_bytes > 0 && <div><dt>Waiting in the spool</dt><dd>{size(its.spool_bytes)}</dd></div>}
          <div><dt>Lost events</dt><dd class={its.drops ? 'bad' : ''}>{its.drops ? number(its.drops) : 'none'}</dd></div></dl>
        {its.oldest && since > DAY && <p class="muted">The oldest is of {dayAndTime(its.oldest)}. {number(Math.round(its.entries / (since / DAY)))} entries came on a day, on average; at this rate a year takes {size((bytes * YEAR) / since)}.</p>}
      </Section>
      <Section title="Growth" id="growth"><DayBars days={its.days.map((d) => ({ day: d.day, n: [d.entries] }))} names={['prompts and steps kept of each day']} label={`${number(sum(its.days.map((d) => d.entries)))} prompts and steps kept of ${its.days.length} days`} /></Section>
      {lost > 0 && <Section title="Lost events" id="lost"><DayBars days={its.days.map((d) => ({ day: d.day, n: [d.lost] }))} names={['lost on each day']} label={`${count(lost, 'event')} lost in ${its.days.length} days`} /></Section>}
      {shown.length > 0 && <Section title="What agents did" id="kinds">
        <dl class="kinds">{shown.map(([kind, n]) => <div key={kind}><dt>{capital(kindOf(kind))}</dt><dd><svg class="bar" viewBox="0 0 100 5" preserveAspectRatio="none" aria-hidden="true"><rect width="100" height="5" /><rect class="on" width={(100 * n) / most} height="5" /></svg>{number(n)}</dd></div>)}</dl>
        {kinds.length > KINDS && <p class="muted">And {count(kinds.length - KINDS, 'other kind')}: {number(sum(kinds.slice(KINDS).map(([, n]) => n)))}.</p>}
      </Section>}
    </>
  );
}

const HOURS = 168, HOUR = 3_600_000, TALL = 60;
/** The step below which this share of the hooks was: 0 for 1 ms, 1 for 2 ms, 2 for 4 ms and so on. */
function step(counts: number[], share: number) {
  const least = sum(counts) * share;
  let n = 0;
  return counts.findIndex((c) => (n += c) >= least);
}

/** How long hooks took, by the hour. */
function Hooks({ hours }: { hours: HookHour[] }) {
  const all = hours[0].counts.map((_, i) => sum(hours.map((h) => h.counts[i]))), words = `Half of ${number(sum(all))} hooks took less than ${number(2 ** step(all, 0.5))} ms, 99 of 100 less than ${number(2 ** step(all, 0.99))} ms.`;
  const last = Math.floor(now.value / HOUR), height = (its: number) => ((its + 1) / all.length) * TALL;
  const bar = (h: HookHour, share: number, kind: string) => <rect class={kind} x={HOURS - 1 - last + Date.parse(h.hour) / HOUR} y={TALL - height(step(h.counts, share))} width="0.8" height={height(step(h.counts, share))} />;
  return (
    <Section title="Hooks in seven days" id="hooks"><p>{words}</p>
      <figure class="chart"><svg viewBox={`0 0 ${HOURS} ${TALL}`} preserveAspectRatio="none" height={TALL} role="img" aria-label={`Times of hooks by the hour. ${words}`}>{hours.map((h) => <g key={h.hour}>{bar(h, 0.99, 'b-given')}{bar(h, 0.5, 'b-used')}</g>)}</svg>
        <figcaption><span><span class="key" />99 of 100</span> <span><span class="key k-used" />half; each step twice as long</span></figcaption></figure></Section>
  );
}

export function Health() {
  const doctor = useFound(() => readCommand<Doctor>('doctor'), () => false), status = useFound(() => readCommand<Status>('status'), () => false);
  const its = doctor.answer.value, stands = status.answer.value, bad = its?.checks.filter((c) => c.verdict !== 'ok') ?? [], good = its?.checks.filter((c) => c.verdict === 'ok') ?? [];
  const waits = doctor.isBusy.value, isBusy = waits || status.isBusy.value, row = (c: Check) => <CheckRow key={c.name} its={c} waits={waits} />;
  return (
    <div class="page two health" aria-busy={status.isBusy.value}>
      <div class="lead"><h1>Health</h1><p class="summary" role="status">{its ? summary(its) : doctor.fault.value ? 'The checks could not run.' : 'Checking…'}</p></div>
      <div>
        {doctor.fault.value && <Trouble fault={doctor.fault.value} />}
        <Section title="Checks" id="checks" action={<button disabled={isBusy} onClick={() => { doctor.again(); status.again(); }}>{isBusy ? 'Checking…' : 'Check again'}</button>}>
          <ul class="rows" data-checks aria-busy={waits}>{(its || doctor.fault.value ? bad : CHECKS).map(row)}</ul>
          {good.length > 0 && <details><summary>{bad.length ? `${inWords(good.length)} ${good.length === 1 ? 'check is' : 'checks are'} ok` : `All ${number(good.length)} checks are ok`}</summary><ul class="rows">{good.map(row)}</ul></details>}
        </Section>
        {stands?.pid && <Section title="Server" id="server"><dl class="facts">
          <div><dt>Version</dt><dd>{stands.version}</dd></div><div><dt>Port</dt><dd>{stands.port}</dd></div><div><dt>Process</dt><dd>{stands.pid}</dd></div>
          {stands.started && <div><dt>Started</dt><dd>{ago(now.value - Date.parse(stands.started)) === 'now' ? 'just now' : `${span(now.value - Date.parse(stands.started))} ago`}</dd></div>}
          <div><dt>Records what agents do</dt><dd>{stands.captures && !stands.off ? 'yes' : 'no'}</dd></div><div><dt>Gives memory to sessions</dt><dd>{stands.injects && !stands.off ? 'yes' : 'no'}</dd></div></dl></Section>}
      </div>
      <aside class="side" aria-label="Figures">{status.fault.value && <Trouble fault={status.fault.value} />}{stands?.stored && <Growth its={stands.stored} />}{stands?.hook_times?.length ? <Hooks hours={stands.hook_times} /> : null}</aside>
    </div>
  );
}
