// The address, the theme, and what all pages share. Pages read these signals.
import { computed, signal } from '@preact/signals';

/** The address: a path and its parameters. The server sends the same shell for every page. */
export const address = signal(location.pathname + location.search);
addEventListener('popstate', () => { address.value = location.pathname + location.search; });
export const path = computed(() => address.value.split('?')[0]);
export const query = computed(() => new URLSearchParams(address.value.split('?')[1] ?? ''));

/** The chosen project, or `*` for all. It is in the address, so it stays. */
export const project = computed(() => query.value.get('p') ?? '*');

/** An address with the chosen project. */
export const link = (to: string, chosen = project.value) => (chosen === '*' ? to : `${to}?p=${encodeURIComponent(chosen)}`);

/** The same with more parameters; empty ones are left out. */
export const linkWith = (to: string, more: Record<string, string | number | null | undefined>, chosen = project.value) => {
  const all = new URLSearchParams(Object.entries(more).flatMap(([name, value]) => (value ? [[name, String(value)]] : [])));
  if (chosen !== '*') all.set('p', chosen);
  return all.size ? `${to}?${all}` : to;
};

export const go = (to: string) => {
  if (to === address.value) return;
  history.pushState(null, '', to);
  address.value = to;
};

/** The same, without a step in the history: the old address is gone. */
export const replace = (to: string) => {
  history.replaceState(null, '', to);
  address.value = to;
};

/** What the browser keeps for this address alone. Some browsers keep nothing in private windows. */
export const kept = {
  get: (name: string): string | null => { try { return localStorage.getItem(name); } catch { return null; } },
  set: (name: string, value: string | null) => {
    try { if (value === null) localStorage.removeItem(name); else localStorage.setItem(name, value); } catch { /* nothing is kept */ }
  },
};

export type Theme = 'system' | 'light' | 'dark';
const isTheme = (t: string | null): t is Theme => t === 'system' || t === 'light' || t === 'dark';
const stored = kept.get('theme');
export const theme = signal<Theme>(isTheme(stored) ? stored : 'system');
export const setTheme = (t: Theme) => {
  theme.value = t;
  kept.set('theme', t);
  document.documentElement.dataset.theme = t;
};
document.documentElement.dataset.theme = theme.value;

export const toast = signal<{ text: string; undo?: () => void } | null>(null);
/** What `u` takes back. It stays after its message is gone. */
export const undo = signal<(() => void) | null>(null);
export const help = signal(false);
export const menu = signal(false);
export const say = (text: string, takeBack?: () => void) => {
  const its = takeBack && (() => { undo.value = null; toast.value = null; takeBack(); });
  const said = { text, undo: its };
  toast.value = said;
  if (its) undo.value = its;
  setTimeout(() => { if (toast.value === said) toast.value = null; }, its ? 12_000 : 6_000);
};

/** Whether single keys do something. A person who speaks to the machine can turn them off. */
export const keysOn = signal(kept.get('keys') !== 'off');
export const setKeys = (on: boolean) => { keysOn.value = on; kept.set('keys', on ? 'on' : 'off'); };
/** The keys of the page that is shown. */
export const pageKeys = new Set<(key: string) => boolean>();

const small = matchMedia('(max-width: 1100px)');
/** Whether there is room for one column only. */
export const isNarrow = signal(small.matches);
small.addEventListener('change', () => { isNarrow.value = small.matches; });

/** What the tab is called while a page is about one thing. */
export const pageTitle = signal<string | null>(null);

/** The current minute, so that ages stay right. */
export const now = signal(Date.now());
setInterval(() => { now.value = Date.now(); }, 30_000);
