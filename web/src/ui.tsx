// Small parts that every page uses. They render text as text: nothing here takes markup.
import { useSignal, useSignalEffect, type ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { call, Fault, listen, signedIn } from './server';
import { pageKeys, project, say } from './state';
import type { Operations } from './api';

const PATHS: Record<string, string> = {
  today: 'M3 4h10v9H3zM3 6.5h10M5.5 2.5V5M10.5 2.5V5',
  sessions: 'M3 4h10M3 8h10M3 12h6',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  close: 'M4 4l8 8M12 4l-8 8',
  look: 'M7 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM10 10l3.2 3.2',
  ask: 'M3 3.5h10v7H7l-3 2.5v-2.5H3zM6 7h4',
  review: 'M3 8.5l3 3 7-7',
  given: 'M2.5 8h8M7.5 4.5L11 8l-3.5 3.5M13.5 3.5v9',
  command: 'M3 4l3.5 4L3 12M8.5 12H13',
  change: 'M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3z',
  commit: 'M8 2v3.5M8 10.5V14M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  hypothesis: 'M8 2.2a4 4 0 0 0-2.3 7.3V11.5h4.6V9.5A4 4 0 0 0 8 2.2zM6.2 13.5h3.6',
  said: 'M3.5 10.5c0-4 1-5.5 3-6M9 10.5c0-4 1-5.5 3-6M3.5 8.5h2.5v3H3.5zM9 8.5h2.5v3H9z',
  note: 'M4 2.5h6.5L12 4v9.5H4zM6 6h4M6 8.5h4M6 11h2.5',
  failures: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.5M8 10.7v.3',
  entries: 'M3 3.5h10v3H3zM3 9.5h10v3H3z',
  health: 'M2 8.5h3l1.5-4 3 7L11 8.5h3',
  settings: 'M3 5h6M11.5 5H13M3 11h2M7.5 11H13M10.2 3.5v3M6.2 9.5v3',
  other: 'M3 8h1M7.5 8h1M12 8h1',
};
export const Icon = ({ name, class: its = '' }: { name: keyof typeof PATHS; class?: string }) => (
  <svg class={`icon ${its}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d={PATHS[name]} /></svg>
);
const MARK: Record<string, [string, string]> = { passed: ['✓', 'passed'], failed: ['✗', 'failed'] };
export const VerdictMark = ({ v }: { v?: string | null }) =>
  v && MARK[v] ? <span class={`verdict ${v}`}><span aria-hidden="true">{MARK[v][0]}</span> {MARK[v][1]}</span> : null;
export const Section = ({ title, children, id, action }: { title: string; children: ComponentChildren; id: string; action?: ComponentChildren }) => (
  <section class="section" aria-labelledby={id}>
    <header class="section-head"><h2 id={id}>{title}</h2>{action && <span class="push">{action}</span>}</header>
    {children}
  </section>
);
export const Trouble = ({ fault }: { fault: Fault }) => (
  <div class="fault" role="alert"><p>{fault.message}</p>{fault.next && <p>{fault.next}</p>}</div>
);

/** Something to copy, such as a command. */
export const Copy = ({ text }: { text: string }) => (
  <span class="copy"><code>{text}</code><button class="link" onClick={() => { navigator.clipboard.writeText(text).then(() => say('Copied.'), () => say('The browser did not let the page write to the clipboard.')); }}>Copy<span class="visually-hidden"> {text}</span></button></span>
);

/** Activity of a session: bars of equal time, red if something failed in one. */
export const Strip = ({ activity, failures }: { activity: number[]; failures: number[] }) => {
  const most = Math.max(4, ...activity), actions = activity.reduce((n, a) => n + a, 0), failed = failures.reduce((n, a) => n + a, 0);
  return (
    <svg class="strip" viewBox={`0 0 ${activity.length * 4} 14`} width={activity.length * 4} height="14" preserveAspectRatio="xMaxYMax meet" role="img" aria-label={`${count(actions, 'action')}, ${failed} failed`}>
      {activity.map((n, i) => {
        const h = n === 0 ? 1 : 3 + (n / most) * 11;
        return <rect key={i} x={i * 4} y={14 - h} width="3" height={h} class={failures[i] ? 'bad' : n ? 'on' : 'off'} />;
      })}
    </svg>
  );
};

/** Tokens by day: given, and the part of it that was used. */
export function UsageBars({ days }: { days: { day: string; given: number; used: number }[] }) {
  const given = days.reduce((n, d) => n + d.given, 0), used = days.reduce((n, d) => n + d.used, 0);
  return <DayBars days={days.map((d) => ({ day: d.day, n: [d.given, d.used] }))} names={['given', 'in lines that were used']}
    label={`Tokens a day: ${number(given)} given in ${days.length} days, ${number(used)} in lines that were used`} />;
}

/** Bars by day: numbers, and a part of each. */
export function DayBars({ days, names, label }: { days: { day: string; n: number[] }[]; names: string[]; label: string }) {
  const height = 72, most = Math.max(1, ...days.map((d) => d.n[0])), w = 100 / days.length;
  return (
    <figure class="chart">
      <svg viewBox={`0 0 100 ${height}`} preserveAspectRatio="none" height={height} role="img" aria-label={label}>
        {days.map(({ day, n }, i) => (
          <g key={day}><title>{`${day}: ${n.map((its, j) => `${number(its)} ${names[j]}`).join(', ')}`}</title>
            {n.map((its, j) => { const h = (its / most) * (height - 2); return <rect key={j} class={j < n.length - 1 ? 'b-given' : 'b-used'} x={i * w + w * 0.16} y={height - h} width={w * 0.68} height={h} />; })}</g>))}
        <line class="axis" x1="0" x2="100" y1={height - 0.5} y2={height - 0.5} />
      </svg>
      <span class="top-label">highest {number(most)}</span>
      <div class="axis-labels"><span>{days[0].day.slice(5)}</span><span>{days[days.length - 1].day.slice(5)}</span></div>
      <figcaption>{names.map((name, j) => <span key={j}><span class={j ? 'key k-used' : 'key'} />{name} </span>)}</figcaption>
    </figure>
  );
}

// Words.

export const number = (n: number) => n.toLocaleString('en');
export const count = (n: number, one: string) => `${number(n)} ${one}${n === 1 ? '' : 's'}`;
const WORDS = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'];
export const inWords = (n: number) => WORDS[n] ?? number(n);
export const base = (file: string) => file.split(/[\\/]/).filter(Boolean).pop() ?? file;
const AGENTS: Record<string, string> = { claude: 'Claude Code', codex: 'Codex', gemini: 'Gemini CLI', opencode: 'opencode', cursor: 'Cursor', copilot: 'Copilot CLI', qwen: 'Qwen Code', cline: 'Cline', 'nudge-run': 'nudge ask' };
export const agentName = (agent: string) => AGENTS[agent] ?? agent;

/** How old something is. */
export const ago = (ms: number) => (ms < 60_000 ? 'now' : `${span(ms)} ago`);

/** How long something took. */
export function span(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h`;
  return `${Math.floor(minutes / 1440)} days`;
}
const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };
/** The time today, else the day, with the year if it is another one. */
export function when(at: string, now: number): string {
  const then = new Date(at), year = then.getFullYear() === new Date(now).getFullYear() ? undefined : 'numeric', days = Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(at).setHours(0, 0, 0, 0)) / 86_400_000);
  if (days === 0) return then.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  return days === 1 ? 'yesterday' : then.toLocaleDateString('en-GB', { ...DAY, year });
}
/** The day, as a heading. */
export const day = (at: number | string) => {
  const then = new Date(at), isThisYear = then.getFullYear() === new Date().getFullYear();
  return then.toLocaleDateString('en-GB', { weekday: 'long', day: 'numeric', month: 'long', ...(isThisYear ? {} : { year: 'numeric' }) });
};

// Answers of the server that stay current.

/** How long events are collected before an answer is read again. */
const SETTLE = 120;

/**
 * What a function reads from the server. It is read again when a signal in it changes, when one of
 * these events comes, and when the connection is back. What was read stays while the next is on its
 * way. The function may find that there is nothing to read.
 */
export function useFound<Found>(read: () => Promise<Found> | null, events: (method: string, scheme?: string) => boolean) {
  const answer = useSignal<Found | null>(null);
  const fault = useSignal<Fault | null>(null);
  const isBusy = useSignal(true);
  const turn = useSignal(0);
  useSignalEffect(() => {
    void turn.value;
    if (signedIn.value !== 'yes') return;
    let current = true;
    const on = read();
    if (!on) { answer.value = null; fault.value = null; isBusy.value = false; return; }
    isBusy.value = true;
    on.then(
      (found) => { if (current) { answer.value = found; fault.value = null; isBusy.value = false; } },
      (error: unknown) => { if (current && error instanceof Fault) { fault.value = error; isBusy.value = false; } },
    );
    return () => { current = false; };
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ends = listen((name, event) => {
      if (name !== 'back' && !events(name, event.scheme)) return;
      timer ??= setTimeout(() => { timer = undefined; turn.value += 1; }, SETTLE);
    });
    return () => { ends(); clearTimeout(timer); };
  }, []);
  return { answer, fault, isBusy, again: () => { turn.value += 1; } };
}

/** The answer of an operation. */
export const useAnswer = <Name extends keyof Operations>(method: Name, params: () => Operations[Name]['params'], events: (method: string, scheme?: string) => boolean) =>
  useFound(() => call(method, params()), events);

/** How many rows of a list are read at a time, and how many are kept in the page. */
export const PAGE = 50, MOST = 600;

/**
 * A list whose newest rows are read again, and older ones once. A row that newer ones push out of
 * what is read again stays. If so much is new that the two do not meet, the older rows are left.
 */
export function usePages<Row>(newest: ReadonlySignal<Row[] | null>, name: (row: Row) => string, read: (last: Row) => Promise<Row[]>) {
  const older = useSignal<Row[]>([]), isEnd = useSignal(false), fault = useSignal<Fault | null>(null);
  const last = useRef<Row[]>([]);
  // Older rows belong to one project.
  useSignalEffect(() => { void project.value; older.value = last.current = []; });
  useSignalEffect(() => {
    const rows = newest.value ?? [], names = new Set(rows.map(name)), end = rows.at(-1), before = [...last.current, ...older.peek()];
    const place = end ? before.findIndex((row) => name(row) === name(end)) : -1;
    last.current = rows;
    older.value = place < 0 ? [] : before.slice(place + 1).filter((row) => !names.has(name(row)));
    if (place < 0) isEnd.value = false;
  });
  const rows = [...newest.value ?? [], ...older.value].slice(0, MOST);
  const more = async () => {
    try {
      const page = await read(rows[rows.length - 1]);
      older.value = [...older.value, ...page];
      isEnd.value = page.length < PAGE;
      fault.value = null;
    } catch (error) { if (error instanceof Fault) fault.value = error; }
  };
  const hasMore = !isEnd.value && rows.length >= PAGE && rows.length < MOST;
  return { rows, more: <>{fault.value && <Trouble fault={fault.value} />}{hasMore && <p class="more"><button onClick={() => void more()}>Show older</button></p>}</> };
}
/** How many rows are left out below the first MOST. */
export const Rest = ({ of, hint }: { of: unknown[]; hint: string }) => (of.length > MOST ? <p class="quiet-row">And {number(of.length - MOST)} more. {hint}</p> : null);

/** Keys of a page, from when it is drawn. The function says whether it used the key. */
export function useKeys(use: (key: string) => boolean) {
  useLayoutEffect(() => {
    pageKeys.add(use);
    return () => { pageKeys.delete(use); };
  });
}
