/** The logo: a plain cog. */
export function Logo({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--mantine-color-petrol-8)" />
      <g fill="none" stroke="#fff" strokeWidth="2.6" strokeLinecap="round">
        <circle cx="16" cy="16" r="6.2" />
        <path d="M16 5.6v3M16 23.4v3M26.4 16h-3M8.6 16h-3M23.35 8.65l-2.1 2.1M10.75 21.25l-2.1 2.1M23.35 23.35l-2.1-2.1M10.75 10.75l-2.1-2.1" />
      </g>
    </svg>
  );
}
