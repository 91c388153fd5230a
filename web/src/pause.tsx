// Whether Nudge records, and a pause of it.
import { useSignal } from '@preact/signals';
import { pauseFor, readOnly, readPause, recordAgain, type Pause } from './server';
import { now } from './state';
import { count, Trouble, useFound } from './ui';
import { attempt, dayAndTime } from './words';

const MINUTES = 60;

/** What is paused, in words. */
function inWords({ paused, until, others }: Pause) {
  if (paused) return until === null ? 'Paused' : `Paused until ${dayAndTime(new Date(until).toISOString()).replace(/^today /, '')}`;
  return others ? `Recording, except for ${count(others, 'pause')}` : 'Recording';
}

export function Recording() {
  // A pause may begin and end in a terminal, too.
  const { answer, fault } = useFound(() => { void now.value; return readPause(); }, () => false);
  const isBusy = useSignal(false);
  const its = answer.value;
  const set = async (change: () => Promise<Pause>) => {
    isBusy.value = true;
    await attempt(async () => { answer.value = await change(); });
    isBusy.value = false;
  };
  if (!its) return fault.value && fault.value.reason !== 'no_server' ? <Trouble fault={fault.value} /> : null;
  return (
    <p class="recording"><span role="status"><span class={`dot ${its.paused ? 'off' : 'live'}`} aria-hidden="true" />{inWords(its)}</span>
      {!readOnly.value && <span>
        {!its.paused && <button class="link" disabled={isBusy.value} onClick={() => void set(() => pauseFor(MINUTES))}>Pause for 1 h</button>}
        {(its.paused || its.others > 0) && <button class="link" disabled={isBusy.value} onClick={() => void set(recordAgain)}>Record {its.paused ? 'again' : 'everywhere'}</button>}
      </span>}</p>
  );
}
