/** Text as a program reads it, in a box that scrolls. */
import classes from './code-block.module.css';

type Props = { label: string; children: string; isWrapped?: boolean };

export const CodeBlock = ({ label, children, isWrapped = false }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by keys too
  <section className={classes.box} aria-label={label} tabIndex={0}>
    <pre className={classes.text} data-wrapped={isWrapped || undefined}>
      {children}
    </pre>
  </section>
);
