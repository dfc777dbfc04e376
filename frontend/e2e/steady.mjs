/** Make a page look the same on every day: the dates and times of the demo follow the clock, its other data do not. */
const DAYS = "Mon|Tue|Wed|Thu|Fri|Sat|Sun";
const MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec";
const LONG = "January|February|March|April|May|June|July|August|September|October|November|December";

/** Patterns of texts that change with the clock, and their replacements. */
const FIXED = [
  [`\\b\\d{1,2} (${MONTHS}) \\d{4}\\b`, "15 Jun 2026"],
  [`\\b(${LONG}) \\d{4}\\b`, "June 2026"],
  [`\\b\\d{1,2} (${MONTHS})\\b(?! \\d{4})`, "15 Jun"],
  [`\\b(${MONTHS}) \\d{1,2}\\b`, "Jun 15"],
  [`\\b(${DAYS})\\b`, "Mon"],
  ["\\b\\d{2}:\\d{2}\\b", "12:00"],
  ["\\b127\\.0\\.0\\.1:\\d+", "127.0.0.1:8000"],
];

/** The options of `emulateMedia` for each appearance. */
export const APPEARANCES = {
  light: { colorScheme: "light", forcedColors: "none" },
  dark: { colorScheme: "dark", forcedColors: "none" },
  forced: { colorScheme: "light", forcedColors: "active" },
};

/** Shows the page in an appearance, once the app has followed the scheme and its colors have changed.

 Pages without the app have no such attribute. In a closed part of a page, transitions stay after their end. */
export async function appear(page, media) {
  await page.emulateMedia(media);
  await page.waitForFunction((scheme) => (document.documentElement.dataset.mantineColorScheme ?? scheme) === scheme, media.colorScheme);
  await settled(page);
}

/** Waits until no color or size changes any more. */
export const settled = (page) =>
  page.waitForFunction(() => !document.getAnimations().some((animation) => animation instanceof CSSTransition && animation.playState !== "finished"));

/** Replaces dates and times in the texts of a page, once it is fully rendered. */
export async function steady(page) {
  await page.evaluate(() => document.fonts.ready);
  await page.evaluate((patterns) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = patterns.reduce((old, [pattern, fixed]) => old.replace(new RegExp(pattern, "g"), fixed), node.data);
      if (text !== node.data) node.data = text;
    }
  }, FIXED);
}
