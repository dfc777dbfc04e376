/** The look in Mantine's words. Colours of our own parts are the variables of base.css. */
import { type MantineColorsTuple, createTheme } from "@mantine/core";

const pine: MantineColorsTuple = [
  "#e9f5ef",
  "#d5ece1",
  "#aedbc6",
  "#82c8a8",
  "#58b38b",
  "#349c73",
  "#1f8a64",
  "#137a5a",
  "#0c6349",
  "#064a37",
];

const gray: MantineColorsTuple = [
  "#f5f7f4",
  "#ecf0ec",
  "#e0e6e1",
  "#c9d3cc",
  "#a7b5ad",
  "#66756d",
  "#55655d",
  "#3d4b44",
  "#26332d",
  "#17231e",
];

const red: MantineColorsTuple = [
  "#fdecea",
  "#fbd9d5",
  "#f5b3ac",
  "#ec877c",
  "#e25f52",
  "#d4432f",
  "#c4301f",
  "#b42318",
  "#931a11",
  "#75130c",
];

// The head of a dialog is no second banner of the page.
const DIALOG = { header: { role: "presentation" } };

export const theme = createTheme({
  primaryColor: "pine",
  primaryShade: 7,
  colors: { pine, gray, red },
  black: "#17231e",
  defaultRadius: 8,
  fontFamily: '"Instrument Sans Variable", system-ui, sans-serif',
  headings: { fontWeight: "640" },
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { fw: 600 } },
    Checkbox: { defaultProps: { radius: 5 } },
    Modal: {
      defaultProps: { centered: true, radius: 14, padding: "lg", overlayProps: { backgroundOpacity: 0.45, color: "#10231d" }, attributes: DIALOG },
    },
    Menu: { defaultProps: { radius: 10, shadow: "md" } },
    Tooltip: { defaultProps: { withArrow: true, color: "#10231d" } },
    TextInput: { defaultProps: { size: "md" } },
    PasswordInput: { defaultProps: { size: "md" } },
    NativeSelect: { defaultProps: { size: "md" } },
    NumberInput: { defaultProps: { size: "md" } },
    Textarea: { defaultProps: { size: "md" } },
  },
});
