/** CodeMirror for prose, in a shadow tree: there its styles are constructed sheets, which the page's policy allows. */
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { minimalSetup } from 'codemirror';

export interface ProseEditor {
  /** Puts another text into it, unless it stands there already. */
  show(text: string): void;
  close(): void;
}

const THEME = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--surface)', border: '1px solid var(--line-strong)', borderRadius: '6px', fontSize: '0.9rem' },
  '&.cm-focused': { outline: '2px solid var(--focus)' },
  '.cm-content': { caretColor: 'var(--ink)', fontFamily: 'var(--mono)', minHeight: '2.6rem' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
});

/** `changed` hears of what is typed, and not of what `show` puts there. */
export function openEditor(host: HTMLElement, label: string, text: string, changed: (text: string) => void): ProseEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  let showing = false;
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        minimalSetup,
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !showing) changed(update.state.doc.toString());
        }),
        THEME,
      ],
    }),
  });
  return {
    show(next) {
      if (view.state.doc.toString() === next) return;
      showing = true;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
      showing = false;
    },
    close: () => view.destroy(),
  };
}
