import { describe, expect, it } from 'vitest';
import { embedSnippet } from '../../../../src/app/share/embed.ts';
import { drawQr } from '../../../../src/app/share/qr.ts';

describe('the HTML that embeds the page', () => {
  it('lets nothing out of its attributes', () => {
    const snippet = embedSnippet('https://example.org/?a=1&b="><script>#x=abc', '"><img>');
    expect(snippet).toContain('src="https://example.org/?a=1&amp;b=&quot;&gt;&lt;script&gt;#x=abc"');
    expect(snippet).toContain('title="&quot;&gt;&lt;img&gt;"');
    expect(snippet.match(/[<>]/g)).toHaveLength(4);
  });
});

describe('the QR code of a link', () => {
  it('is a square with a quiet border, or nothing where the link is longer than any code holds', () => {
    const drawing = drawQr('https://example.org/#x=abc');
    expect(drawing?.size).toBe(25 + 2 * 4);
    expect(drawing?.path).toMatch(/^M4 4h1v1h-1z/);
    expect(drawQr('x'.repeat(2954))).toBeNull();
  });
});
