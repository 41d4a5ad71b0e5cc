/** Hands a text or bytes to the browser as a file to save. */
export function download(fileName: string, type: string, content: string | Uint8Array<ArrayBuffer>): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The browser has taken the address over once this task has ended.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
