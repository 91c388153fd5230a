// Settings: of this browser, and every key of `nudge config`, read only.
import { useSignal } from '@preact/signals';
import { endBrowser, readBrowsers, readCommand, readOnly, signOut, type Browser } from '../server';
import { keysOn, now, setKeys, setTheme, theme, type Theme } from '../state';
import { ago, Copy, count, inWords, number, Section, Trouble, useFound } from '../ui';
import { attempt, dayAndTime, sentence } from '../words';

interface Key { key: string; value: unknown; default: unknown; source: string; type: string; env: string; doc: string; project: string }
interface Config { config_file: string; keys: Key[]; warnings?: string[] }

const THEMES: [Theme, string][] = [['system', 'as the system'], ['light', 'light'], ['dark', 'dark']];

/** A value as a person writes it. */
const plain = (value: unknown): string =>
  (Array.isArray(value) ? value.map(plain).join(', ') || 'none' : value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value));
const differs = (k: Key) => JSON.stringify(k.value) !== JSON.stringify(k.default);

const Row = ({ its }: { its: Key }) => (
  <li data-key={its.key}><div class="row setting"><span class="grow"><span class="setting-head"><code class="setting-key">{its.key}</code> <code class="setting-value" data-value={JSON.stringify(its.value)}>{plain(its.value)}</code></span>
    <span class="facts-line">{sentence(its.doc)}</span>
    <span class="facts-line">{differs(its) ? `default: ${plain(its.default)} · ` : ''}from {its.source} · {its.type} · <code>{its.env}</code> · a project {its.project}</span></span></div></li>
);

const BROWSERS: Record<string, string> = { 'Edg/': 'Edge', 'OPR/': 'Opera', 'Firefox/': 'Firefox', 'Chrome/': 'Chrome', 'Safari/': 'Safari' };
/** What a browser is, by what it calls itself. */
function nameOf(its: string) {
  const known = Object.keys(BROWSERS).find((part) => its.includes(part)), on = /Windows|Android|iPhone|iPad|Mac OS|Linux/.exec(its);
  return known ? BROWSERS[known] + (on ? ` on ${on[0]}` : '') : its;
}

/** The browsers that are signed in. */
function Browsers() {
  const { answer, fault, again } = useFound(() => { void now.value; return readBrowsers(); }, () => false);
  const end = async (its: Browser) => { await attempt(() => endBrowser(its.id)); again(); };
  return (
    <>
      {fault.value && <Trouble fault={fault.value} />}
      <ul class="rows" aria-label="Signed-in browsers">{answer.value?.browsers.map((its) => (
        <li key={its.id} data-browser={its.id}><div class="row"><span class="grow"><span class="title">{nameOf(its.browser)}{its.is_this && ' (this one)'}</span>
          <span class="facts-line">since {dayAndTime(new Date(its.since).toISOString())} · used {ago(now.value - its.used)}{its.read_only && ' · read only'}</span></span>
          {!its.is_this && !readOnly.value && <button onClick={() => void end(its)}>Sign out<span class="visually-hidden"> {nameOf(its.browser)}</span></button>}</div></li>))}</ul>
    </>
  );
}

export function Settings() {
  const { answer, fault, isBusy, again } = useFound(() => readCommand<Config>('config'), () => false);
  const words = useSignal('');
  const keys = answer.value?.keys ?? [], changed = keys.filter(differs);
  const wanted = words.value.toLowerCase().split(/\s+/), shown = keys.filter((k) => wanted.every((word) => `${k.key} ${k.doc} ${plain(k.value)} ${k.env}`.toLowerCase().includes(word)));
  return (
    <div class="page settings" aria-busy={isBusy.value}>
      <div class="lead"><h1>Settings</h1>{answer.value && <p class="summary">{changed.length === 0 ? `All ${number(keys.length)} settings have their defaults.` : `${inWords(changed.length)} of ${count(keys.length, 'setting')} ${changed.length === 1 ? 'differs from its default' : 'differ from their defaults'}.`}</p>}</div>
      <Section title="This browser" id="browser">
        <div class="own">
          <fieldset class="choice"><legend>Theme</legend>{THEMES.map(([name, label]) => <label key={name}><input type="radio" name="theme" checked={theme.value === name} onChange={() => setTheme(name)} /> {label}</label>)}</fieldset>
          <fieldset class="choice"><legend>Keys</legend><label><input type="checkbox" checked={keysOn.value} onChange={(e) => setKeys(e.currentTarget.checked)} /> single keys, such as <kbd>j</kbd> and <kbd>/</kbd></label></fieldset>
          <fieldset class="choice"><legend>Signed in</legend><span>{readOnly.value ? 'This browser may only read.' : 'This browser may change the memory.'}</span> <button onClick={() => void signOut()}>Sign out of this browser</button></fieldset>
        </div>
        <Browsers />
        <p class="muted">Sign out all browsers: <Copy text="nudge ui --sign-out" /></p>
        <p class="muted">Sign out all browsers and end the server’s token: <Copy text="nudge token rotate" /></p>
      </Section>
      <Section title="Nudge" id="nudge" action={<button disabled={isBusy.value} onClick={again}>Read again</button>}>
        {fault.value && <Trouble fault={fault.value} />}
        {answer.value && <>
          <p class="muted about">This page shows settings and changes none. They are in <Copy text={answer.value.config_file} /> and apply to all projects; a project’s <code>.nudge.toml</code> may narrow them.</p>
          {answer.value.warnings?.map((warning) => <p key={warning} class="fault">{warning}</p>)}
          <input class="filter" type="search" aria-label="Filter settings" placeholder="Filter" autocomplete="off" onInput={(e) => { words.value = e.currentTarget.value.trim(); }} />
          {shown.length === 0 && <p class="quiet-row">No setting has these words.</p>}
          {shown.some(differs) && <><h3 class="small-head">Not the default</h3><ul class="rows">{shown.filter(differs).map((k) => <Row key={k.key} its={k} />)}</ul></>}
          {shown.some((k) => !differs(k)) && <><h3 class="small-head">Defaults</h3><ul class="rows">{shown.filter((k) => !differs(k)).map((k) => <Row key={k.key} its={k} />)}</ul></>}
        </>}
      </Section>
    </div>
  );
}
