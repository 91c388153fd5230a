// The line below a session: what its agent or the user marked as relevant. It is filled once when
// the session is opened, and from then on by the events alone.
import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { call, listen, readOnly, readSession } from '../../server';
import { base, Icon } from '../../ui';
import { appletLink, fileLink, pairOf } from './words';

type Sets = Record<string, string[]>;
const MOST_FILES = 5;

async function markSeen(session: string) {
  if (!readOnly.value) await call('update_session', { session, observed: true }).catch(() => undefined);
}

/** The context sets of a session; `null` until they are known. Who opens a stopped session has seen it. */
export function useSets(session: string): Signal<Sets | null> {
  const sets = useSignal<Sets | null>(null);
  useEffect(() => {
    let hasEnded = false, wasTold = false;
    const read = () => {
      wasTold = false;
      readSession(session).then(
        (found) => {
          if (hasEnded) return;
          if (!wasTold) sets.value = found.meta.context;
          if (found.unobserved && found.state !== 'busy') void markSeen(session);
        },
        () => undefined,
      );
    };
    read();
    const ends = listen((method, event) => {
      // Events were missed, so the sets may be old.
      if (method === 'feed/gone') read();
      if (event.sessionId !== session) return;
      if (method === 'nudge.context') { wasTold = true; sets.value = event.context ?? {}; }
      // Who looks at the page when the agent stops has seen it too.
      if (event.reason === 'idle' && document.hasFocus()) void markSeen(session);
    });
    return () => { hasEnded = true; ends(); };
  }, []);
  return sets;
}

export function ContextFooter({ sets }: { sets: Sets }) {
  const files = (sets.files ?? []).slice(0, MOST_FILES), [slug, ...more] = sets.applet ?? [];
  if (!files.length && !slug) return null;
  const items = files.map((file) => <a key={file} href={fileLink(file)} title={file}>{base(file)}</a>);
  if (slug) items.push(<a key="applet" class="applet-link" href={appletLink(slug, more.map(pairOf))}>[{slug}]</a>);
  return (
    <nav class="context-footer" aria-label="Relevant to this session">
      <Icon name="note" /><span class="links">{items.flatMap((item, i) => (i ? [<span key={`dot${i}`} class="dotsep"> · </span>, item] : [item]))}</span>
    </nav>
  );
}
