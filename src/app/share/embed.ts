/** The line of HTML that shows the page, with what is shared, in another page. */

/** Workers and storage of the page need its own origin, its dialogs forms, its links windows of their own; nothing else is allowed. */
export function embedSnippet(link: string, title: string): string {
  return `<iframe src="${escaped(link)}" title="${escaped(title)}" width="100%" height="800" loading="lazy" allow="clipboard-write; screen-wake-lock" sandbox="allow-scripts allow-same-origin allow-downloads allow-forms allow-popups"></iframe>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
