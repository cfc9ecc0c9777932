/** Colours, fonts and shapes. One accent colour and greys; other colours indicate a status. */
import { t } from '@lingui/core/macro';
import {
  ActionIcon,
  Button,
  type CSSVariablesResolver,
  createTheme,
  type MantineColorsTuple,
  Menu,
  type ModalProps,
  type NotificationProps,
  type SelectProps,
  Tooltip,
} from '@mantine/core';

const petrol: MantineColorsTuple = [
  '#eaf6f5',
  '#d3e9e7',
  '#a9d5d1',
  '#7bc0ba',
  '#55aea7',
  '#3aa199',
  '#1f8f87',
  '#0f7d76',
  '#0b6e69',
  '#075a56',
];

const gray: MantineColorsTuple = [
  '#f8f9f9',
  '#f1f3f3',
  '#e5e8e9',
  '#d5dadc',
  '#b3babe',
  '#868f95',
  '#626b72',
  '#464e54',
  '#2c3237',
  '#191d20',
];

const dark: MantineColorsTuple = [
  '#e3e6e8',
  '#b7bdc2',
  '#8b939a',
  '#636b73',
  '#444b52',
  '#30363c',
  '#252a2f',
  '#1b1f23',
  '#15181b',
  '#0f1113',
];

export const theme = createTheme({
  primaryColor: 'petrol',
  primaryShade: { light: 8, dark: 7 },
  colors: { petrol, gray, dark },
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', Menlo, Consolas, 'Liberation Mono', monospace",
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  headings: { fontWeight: '620' },
  black: '#191d20',
  white: '#ffffff',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    ActionIcon: ActionIcon.extend({ defaultProps: { variant: 'subtle', color: 'gray' } }),
    Button: Button.extend({ defaultProps: { fw: 550 } }),
    Menu: Menu.extend({
      defaultProps: {
        shadow: 'md',
        position: 'bottom-end',
        width: 200,
        // Next to its button, so that screen readers find it in the same part of the page.
        withinPortal: false,
        // A menu may contain only items; the first of them gets the focus.
        withInitialFocusPlaceholder: false,
      },
    }),
    // Without their `extend`, which would load them with every page.
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.4 },
        closeButtonProps: { 'aria-label': t`Close` },
        padding: 'lg',
        radius: 'lg',
      } satisfies Partial<ModalProps>,
      styles: { title: { minWidth: 0, fontWeight: 620, fontSize: '1.0625rem', lineHeight: 1.35 } },
    },
    Notification: {
      defaultProps: {
        closeButtonProps: { 'aria-label': t`Close` },
      } satisfies Partial<NotificationProps>,
    },
    Select: {
      defaultProps: { comboboxProps: { withinPortal: false } } satisfies Partial<SelectProps>,
    },
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 400, withArrow: true } }),
  },
});

/** The library's variables for surfaces, in our greys. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-default-border': 'var(--mantine-color-gray-3)',
    '--mantine-color-error': '#c0272d',
    // The library's own is too pale for a button under the pointer.
    '--mantine-color-red-light-color': '#a82222',
  },
  dark: {
    '--mantine-color-body': 'var(--mantine-color-dark-7)',
    '--mantine-color-default-border': 'var(--mantine-color-dark-5)',
    '--mantine-color-error': '#ff8a8a',
  },
});

/** The nonce for style elements that the page's policy requires; some libraries read the global. */
export function styleNonce(): string {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
  Object.assign(globalThis, { __webpack_nonce__: nonce });
  return nonce;
}
