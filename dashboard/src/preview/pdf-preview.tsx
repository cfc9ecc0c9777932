/**
 * The pages of a PDF file, drawn by pdf.js: the browsers' own viewers do not run in the sandbox that
 * users' files are sent with, and phones have none. Its worker and its data are loaded when needed.
 */
import { plural, t } from '@lingui/core/macro';
import { useElementSize, useIntersection, useMergedRef } from '@mantine/hooks';
import { type PDFDocumentProxy, type PDFPageProxy, TextLayer } from 'pdfjs-dist';
import { useEffect, useRef, useState } from 'react';
import { openPdf } from './pdf-document.ts';
import classes from './pdf-preview.module.css';
import { useFocusWhenShown } from './scroll-by-keys.ts';
import { Waiting } from './waiting.tsx';

type Props = { src: string; name: string; size: 'panel' | 'full'; onError: () => void };

export function PdfPreview({ src, name, size, onError }: Props) {
  const [pdf, setPdf] = useState<PDFDocumentProxy>();
  const { ref: sized, width } = useElementSize();
  const ref = useMergedRef(sized, useFocusWhenShown(size));
  // biome-ignore lint/correctness/useExhaustiveDependencies: opened again only for another file
  useEffect(() => {
    const opening = openPdf(src);
    opening.promise.then(setPdf, onError);
    return () => void opening.destroy();
  }, [src]);
  // The side panel has room for the first.
  const count = pdf ? (size === 'panel' ? 1 : pdf.numPages) : 0;
  return (
    <section
      ref={ref}
      className={classes.pages}
      data-size={size}
      aria-label={labelOf(name, size, pdf?.numPages)}
      tabIndex={size === 'full' ? 0 : undefined}
    >
      {!pdf && <Waiting />}
      {pdf &&
        width > 0 &&
        Array.from({ length: count }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: pages have nothing but their number
          <Page key={index} pdf={pdf} number={index + 1} width={Math.min(width, 900)} />
        ))}
    </section>
  );
}

function labelOf(name: string, size: Props['size'], pages: number | undefined): string {
  if (size === 'full') {
    return pages === undefined
      ? name
      : plural(pages, { one: `${name}, # page`, other: `${name}, # pages` });
  }
  return pages === undefined
    ? t`First page of ${name}`
    : plural(pages, {
        one: `First page of ${name}, # page`,
        other: `First page of ${name}, # pages`,
      });
}

type PageProps = { pdf: PDFDocumentProxy; number: number; width: number };

/** Drawn when it comes near; before that it has the shape of a usual page. */
function Page({ pdf, number, width }: PageProps) {
  const { ref, entry } = useIntersection({ rootMargin: '600px' });
  const isNear = entry?.isIntersecting ?? false;
  const canvas = useRef<HTMLCanvasElement>(null);
  const text = useRef<HTMLDivElement>(null);
  const [ratio, setRatio] = useState(Math.SQRT2);
  useEffect(() => {
    if (!isNear || !canvas.current || !text.current) return;
    return draw(pdf, number, width, canvas.current, text.current, setRatio);
  }, [pdf, number, width, isNear]);
  return (
    <div ref={ref} className={classes.page} style={{ width, height: width * ratio }}>
      <canvas ref={canvas} aria-hidden />
      <div ref={text} className={classes.text} />
    </div>
  );
}

/** @returns a function that stops it. */
function draw(
  pdf: PDFDocumentProxy,
  number: number,
  width: number,
  canvas: HTMLCanvasElement,
  text: HTMLDivElement,
  onRatio: (ratio: number) => void,
) {
  let stop = () => {};
  let isStopped = false;
  const run = async (page: PDFPageProxy) => {
    if (isStopped) return;
    const natural = page.getViewport({ scale: 1 });
    const scale = width / natural.width;
    onRatio(natural.height / natural.width);
    const viewport = page.getViewport({ scale: scale * Math.min(devicePixelRatio, 2) });
    canvas.width = Math.floor(viewport.width);
    canvas.height = Math.floor(viewport.height);
    const drawing = page.render({ canvas, viewport });
    text.replaceChildren();
    text.style.setProperty('--total-scale-factor', String(scale));
    const words = new TextLayer({
      textContentSource: page.streamTextContent(),
      container: text,
      viewport: page.getViewport({ scale }),
    });
    stop = () => {
      drawing.cancel();
      words.cancel();
    };
    await Promise.all([drawing.promise, words.render()]);
  };
  // A page that was stopped rejects, and one that cannot be drawn stays white.
  pdf
    .getPage(number)
    .then(run)
    .catch(() => {});
  return () => {
    isStopped = true;
    stop();
  };
}
