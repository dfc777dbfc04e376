/** Mantine's theme, made of the design tokens (tokens.css). It contains names of tokens but no values. */
import { type CSSVariablesResolver, type MantineColorsTuple, createTheme } from "@mantine/core";

type Tone = "accent" | "danger" | "warn" | "info";

const token = (name: string): string => `var(--${name})`;
const shades = (...names: string[]) => names.map(token) as unknown as MantineColorsTuple;

/** Light fills in 0 to 3, the tone itself from 4 on. */
const tone = (name: Tone): MantineColorsTuple =>
  shades(...Array<string>(4).fill(`${name}-soft`), ...Array<string>(6).fill(name));

const gray = shades("sunken", "sunken", "line", "line", "line-control", "text-3", "text-2", "text-2", "text-1", "text-1");
// Mantine takes the surfaces of its dark scheme from here. The tokens themselves change with the scheme.
const dark = shades("text-1", "text-2", "text-3", "line-control", "line", "sunken", "surface", "surface", "sunken", "bg");

/** The filled, light, subtle and outlined look of one colour. Light and dark differ in the tokens alone. */
function look(color: string, name: Tone, hover: string) {
  const prefix = `--mantine-color-${color}`;
  return {
    [`${prefix}-text`]: token(name),
    [`${prefix}-filled`]: token(name),
    [`${prefix}-filled-hover`]: token(hover),
    [`${prefix}-light`]: token(`${name}-soft`),
    [`${prefix}-light-hover`]: token(`${name}-soft`),
    [`${prefix}-light-color`]: token(name),
    [`${prefix}-outline`]: token(name),
    [`${prefix}-outline-hover`]: token(`${name}-soft`),
  };
}

const SCHEME = {
  ...look("pine", "accent", "accent-hover"),
  ...look("red", "danger", "danger-hover"),
  ...look("yellow", "warn", "warn"),
  ...look("blue", "info", "info"),
  "--mantine-color-gray-light": token("sunken"),
  "--mantine-color-gray-light-hover": token("sunken"),
  "--mantine-color-gray-light-color": token("text-2"),
  "--mantine-primary-color-contrast": token("on-accent"),
  "--mantine-color-text": token("text-1"),
  "--mantine-color-body": token("surface"),
  "--mantine-color-bright": token("text-1"),
  "--mantine-color-error": token("danger"),
  "--mantine-color-success": token("accent"),
  "--mantine-color-placeholder": token("text-3"),
  "--mantine-color-anchor": token("accent"),
  "--mantine-color-default": token("surface"),
  "--mantine-color-default-hover": token("sunken"),
  "--mantine-color-default-color": token("text-1"),
  "--mantine-color-default-border": token("line-control"),
  "--mantine-color-dimmed": token("text-2"),
  "--mantine-color-disabled": token("sunken"),
  "--mantine-color-disabled-color": token("text-3"),
  "--mantine-color-disabled-border": token("line"),
};

export const cssVariables: CSSVariablesResolver = () => ({ variables: {}, light: SCHEME, dark: SCHEME });

// The header of a dialog must not be a second banner landmark.
const DIALOG = { header: { role: "presentation" } };
const LAYER = { transition: "fade", duration: 180, exitDuration: 120 } as const;
const FIELD = { defaultProps: { size: "md" } };

export const theme = createTheme({
  primaryColor: "pine",
  primaryShade: 7,
  colors: { pine: tone("accent"), red: tone("danger"), yellow: tone("warn"), blue: tone("info"), gray, dark },
  white: token("surface"),
  black: token("text-1"),
  defaultRadius: "md",
  radius: { xs: token("r-badge"), sm: token("r-badge"), md: token("r-control"), lg: token("r-card"), xl: token("r-pill") },
  spacing: { xs: token("s-2"), sm: token("s-3"), md: token("s-4"), lg: token("s-6"), xl: token("s-8") },
  fontFamily: token("font"),
  fontFamilyMonospace: token("mono"),
  fontSizes: { xs: token("fs-12"), sm: token("fs-13"), md: token("fs-14"), lg: token("fs-16"), xl: token("fs-20") },
  lineHeights: { xs: token("lh-12"), sm: token("lh-13"), md: token("lh-14"), lg: token("lh-16"), xl: token("lh-20") },
  shadows: { xs: "none", sm: "none", md: token("shadow-menu"), lg: token("shadow-layer"), xl: token("shadow-layer") },
  headings: { fontWeight: "600" },
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: "md" } },
    Checkbox: { defaultProps: { radius: "xs" } },
    Badge: { defaultProps: { radius: "xs", tt: "none" } },
    Modal: {
      defaultProps: { centered: true, radius: "lg", padding: "lg", shadow: "lg", transitionProps: LAYER, attributes: DIALOG },
    },
    Drawer: { defaultProps: { shadow: "lg", transitionProps: { duration: 180, exitDuration: 120 }, attributes: DIALOG } },
    Menu: { defaultProps: { radius: "md", shadow: "md", transitionProps: LAYER } },
    Popover: { defaultProps: { radius: "md", shadow: "md", transitionProps: LAYER } },
    Tooltip: { defaultProps: { openDelay: 300, transitionProps: { duration: 120 } } },
    TextInput: FIELD,
    PasswordInput: FIELD,
    NativeSelect: FIELD,
    NumberInput: FIELD,
    Textarea: FIELD,
  },
});
