// Deletes one observation or prompt for good, after a question.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { deleteForGood, Fault, readOnly } from './server';
import { say } from './state';
import { count, Trouble } from './ui';

/** What stays behind when not everything could be reached. */
function left({ index_cleared: cleared, backups_left: backups }: { index_cleared: boolean; backups_left: number }) {
  const parts = [!cleared && 'The search index was busy and still has the words: run `nudge maintain`.', backups > 0 && `${count(backups, 'backup')} could not be changed and still ${backups === 1 ? 'has' : 'have'} them.`];
  return parts.filter(Boolean).join(' ');
}

function Ask({ id, what, close, onDone }: { id: number; what: string; close: () => void; onDone: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const fault = useSignal<Fault | null>(null);
  const isBusy = useSignal(false);
  useEffect(() => { dialog.current?.showModal(); }, []);
  const sure = async () => {
    isBusy.value = true;
    try {
      const its = await deleteForGood(id);
      close();
      say(`Deleted for good. ${left(its)}`.trim());
      onDone();
    } catch (error) {
      isBusy.value = false;
      if (error instanceof Fault) fault.value = error;
    }
  };
  // The browser holds the focus inside and closes it with Esc; keys of the page stay out.
  return (
    <dialog class="dialog" ref={dialog} aria-labelledby="delete-title" onClose={close} onKeyDown={(e) => e.stopPropagation()}>
      <h2 id="delete-title">Delete this for good?</h2>
      <blockquote class="whole" tabIndex={0}>{what}</blockquote>
      <p>Entry {id} is removed from the memory, the search index, the log and the backups. This cannot be undone.</p>
      {fault.value && <Trouble fault={fault.value} />}
      <p class="actions"><button class="danger" disabled={isBusy.value} onClick={() => void sure()}>Delete for good</button><button autofocus onClick={() => dialog.current?.close()}>Keep it</button></p>
    </dialog>
  );
}

/** The button. `what` is the text that the question shows. */
export function DeleteForGood({ id, what, onDone }: { id: number; what: string; onDone: () => void }) {
  const isOpen = useSignal(false);
  if (readOnly.value) return null;
  return <><button class="quiet-button danger" onClick={() => { isOpen.value = true; }}>Delete for good…</button>{isOpen.value && <Ask id={id} what={what} close={() => { isOpen.value = false; }} onDone={onDone} />}</>;
}
