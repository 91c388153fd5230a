// The rows of a session: read page by page, kept current, and never more than MOST of them.
import { signal, type Signal } from '@preact/signals';
import type { Operations } from '../../api';
import { call, Fault } from '../../server';

type Answer = Operations['session_timeline']['result'];
export type Row = Answer['rows'][number];
export type Show = 'failures' | 'changes' | 'injected' | 'hypotheses';
/** What is known of a session besides its rows. */
export type Head = Omit<Answer, 'rows' | 'has_earlier' | 'has_later'>;

/** How many rows are read at a time, how many at once at most, and how many are kept in the page. */
const PAGE = 150, LONGEST = 400, MOST = 600;
/** How many rows at the end are read again: some change after they were made, some come late. */
const AGAIN = 60;


export class Timeline {
  readonly rows = signal<Row[] | null>(null);
  readonly hasEarlier = signal(false);
  readonly hasLater = signal(false);
  readonly fault = signal<Fault | null>(null);
  readonly isReading = signal(false);
  private epoch = 0;
  private refreshing = false;
  private isStale = false;

  constructor(readonly session: string, readonly show: Show | null, readonly head: Signal<Head | null>) {}

  private async ask(params: { before?: string; from?: number | string; limit: number }) {
    const { rows, has_earlier, has_later, ...head } = await call('session_timeline', { session_id: this.session, ...(this.show ? { show: this.show } : {}), ...params });
    return { rows, has_earlier, has_later, head };
  }

  /** Runs one step, unless a new beginning overtook it. What failed is said in place of the rows. */
  private async step(begins: boolean, params: { before?: string; from?: number | string; limit: number }, take: (got: Awaited<ReturnType<Timeline['ask']>>) => void) {
    const epoch = begins ? ++this.epoch : this.epoch;
    this.isReading.value = true;
    try {
      const got = await this.ask(params);
      if (epoch !== this.epoch) return;
      this.fault.value = null;
      this.head.value = got.head;
      take(got);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (epoch === this.epoch) this.fault.value = error;
    } finally {
      if (epoch === this.epoch) this.isReading.value = false;
    }
  }

  /** Shows the last rows. */
  open() {
    return this.step(true, { limit: PAGE }, (got) => {
      this.rows.value = got.rows;
      this.hasEarlier.value = got.has_earlier;
      this.hasLater.value = got.has_later;
    });
  }

  /** Shows the rows from this one on. */
  goTo(id: number) {
    return this.step(true, { from: id, limit: PAGE }, (got) => {
      this.rows.value = got.rows;
      this.hasEarlier.value = got.has_earlier;
      this.hasLater.value = got.has_later;
    });
  }

  /** Adds a page before the rows. `before` is called just before they change. */
  earlier(before: () => void) {
    const first = this.rows.value?.[0]?.key;
    if (first == null) return Promise.resolve();
    return this.step(false, { before: first, limit: PAGE }, (got) => {
      const now = this.rows.value ?? [], place = now.findIndex((row) => row.key === first);
      if (place < 0) return;
      const all = [...got.rows, ...now.slice(place)];
      before();
      this.rows.value = all.slice(0, MOST);
      this.hasEarlier.value = got.has_earlier;
      if (all.length > MOST) this.hasLater.value = true;
    });
  }

  /** Adds a page after the rows. */
  later(before: () => void) {
    const last = this.rows.value?.at(-1)?.key;
    if (last == null) return this.open();
    return this.step(false, { from: last, limit: PAGE }, (got) => {
      const now = this.rows.value ?? [], place = now.findIndex((row) => row.key === last);
      if (place < 0) return;
      const all = [...now.slice(0, place), ...got.rows];
      before();
      this.rows.value = all.slice(-MOST);
      this.hasLater.value = got.has_later;
      if (all.length > MOST) this.hasEarlier.value = true;
    });
  }

  /**
   * Reads what happened since, and says how many rows are new. Where the end is not loaded, only
   * the totals are read.
   */
  async refresh(before: () => void): Promise<number> {
    // One at a time: what comes meanwhile is read by one more.
    if (this.refreshing) { this.isStale = true; return 0; }
    const rows = this.rows.value;
    if (!rows) return 0;
    this.refreshing = true;
    let grown = 0;
    try {
      if (this.hasLater.value) {
        const events = this.head.value?.counts.events ?? 0;
        await this.step(false, { limit: 1 }, (got) => { grown = Math.max(0, got.head.counts.events - events); });
        return grown;
      }
      const from = rows.slice(-AGAIN)[0]?.key;
      await this.step(false, from == null ? { limit: LONGEST } : { from, limit: LONGEST }, (got) => {
        const now = this.rows.value ?? [], place = from == null ? 0 : now.findIndex((row) => row.key === from);
        if (place < 0) return;
        const known = new Set(now.slice(place).map((row) => row.key));
        grown = got.rows.filter((row) => !known.has(row.key)).length;
        const all = [...now.slice(0, place), ...got.rows];
        before();
        this.rows.value = all.slice(-MOST);
        this.hasLater.value = got.has_later;
        if (all.length > MOST || (from == null && got.has_earlier)) this.hasEarlier.value = true;
      });
    } finally {
      this.refreshing = false;
    }
    if (!this.isStale) return grown;
    this.isStale = false;
    return grown + await this.refresh(before);
  }
}

// How rows are shown: by prompt, with looks folded and pauses said.

export type Item = { key: string; row: Row } | { key: string; looks: Row[] } | { key: string; pause: string };
export interface Group { key: string; id: number | null; at: string; text: string; source: string; isContinued: boolean; isCut: boolean; pause: string | null; items: Item[] }

/** A pause as long as this is said. */
const PAUSE = 20 * 60_000;
const isLook = (row: Row) => (row.kind === 'file_read' || row.kind === 'search') && !row.failed;

/** Rows by prompt. Without the prompts themselves, as in a filtered list, the time says whose they are. */
export function groups(rows: Row[], prompts: Head['prompts'], isFiltered: boolean, pauseOf: (from: string, to: string) => string): Group[] {
  const all: Group[] = [];
  let last: string | null = null;
  const begin = (its: Omit<Group, 'items'>) => { all.push({ ...its, items: [] }); return all[all.length - 1]; };
  for (const row of rows) {
    let group = all[all.length - 1];
    const isPause = !isFiltered && last !== null && Date.parse(row.at) - Date.parse(last) > PAUSE;
    const pause = isPause ? pauseOf(last as string, row.at) : null;
    last = row.at;
    if (row.kind === 'prompt') {
      begin({ key: row.key, id: row.id ?? null, at: row.at, text: row.text, source: row.source ?? 'user', isContinued: false, isCut: false, pause });
      continue;
    }
    if (!group || isFiltered) {
      const its = prompts.filter((prompt) => prompt.at <= row.at).pop();
      const key = its ? String(its.id) : 'before';
      if (group?.key !== key) group = begin({ key, id: its?.id ?? null, at: its?.at ?? row.at, text: its?.text ?? '', source: 'user', isContinued: !isFiltered && its !== undefined, isCut: true, pause });
    }
    const before = group.items[group.items.length - 1];
    if (pause !== null && group.items.length) group.items.push({ key: `pause-${row.key}`, pause });
    if (pause === null && isLook(row) && before && 'looks' in before && before.looks[0].subagent === row.subagent) before.looks.push(row);
    else if (isLook(row)) group.items.push({ key: row.key, looks: [row] });
    else group.items.push({ key: row.key, row });
  }
  return all;
}
