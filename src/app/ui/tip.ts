/** One floating explanation at a time, for the pointer, the keyboard and the finger. */
import type { Attachment } from 'svelte/attachments';

/** Distance from the element and from the window's edge, in px. */
const MARGIN = 8;

let shown: HTMLElement | null = null;
let count = 0;

/** Shows `text` beside the element while it is hovered or focused; Escape hides it. */
export function tip(text: string): Attachment<HTMLElement> {
  return (host) => {
    const show = (): void => {
      hide();
      const box = document.createElement('div');
      box.className = 'tip';
      box.id = `tip-${count++}`;
      box.role = 'tooltip';
      box.textContent = text;
      // A modal dialog covers all else; otherwise inside a landmark, where screen readers expect all content.
      (host.closest('dialog') ?? document.querySelector('main') ?? document.body).append(box);
      host.setAttribute('aria-describedby', box.id);
      place(box, host.getBoundingClientRect());
      shown = box;
    };
    const hide = (): void => {
      shown?.remove();
      shown = null;
      host.removeAttribute('aria-describedby');
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') hide();
    };
    host.addEventListener('pointerenter', show);
    host.addEventListener('pointerleave', hide);
    host.addEventListener('focus', show);
    host.addEventListener('blur', hide);
    host.addEventListener('click', show);
    host.addEventListener('keydown', onKey);
    return () => {
      hide();
      host.removeEventListener('pointerenter', show);
      host.removeEventListener('pointerleave', hide);
      host.removeEventListener('focus', show);
      host.removeEventListener('blur', hide);
      host.removeEventListener('click', show);
      host.removeEventListener('keydown', onKey);
    };
  };
}

/** Below the element, or above where there is no room; always inside the window. */
function place(box: HTMLElement, anchor: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = box;
  const left = Math.min(Math.max(MARGIN, anchor.left), window.innerWidth - width - MARGIN);
  const below = anchor.bottom + MARGIN;
  const fits = below + height + MARGIN <= window.innerHeight;
  box.style.left = `${left}px`;
  box.style.top = `${fits ? below : Math.max(MARGIN, anchor.top - height - MARGIN)}px`;
}
