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

export const toast = signal<string | null>(null);
export const help = signal(false);
export const menu = signal(false);
export const say = (text: string) => {
  toast.value = text;
  setTimeout(() => { if (toast.value === text) toast.value = null; }, 6000);
};

/** The current minute, so that ages stay right. */
export const now = signal(Date.now());
setInterval(() => { now.value = Date.now(); }, 30_000);
