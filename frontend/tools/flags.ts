/** Offers a flag for each country that has a dialling code, under a fixed name, so that no script contains two hundred
 addresses. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defaultCountries, parseCountry } from "react-international-phone";
import type { Plugin } from "vite";

const FOLDER = join("node_modules", "country-flag-icons");
const read = (name: string) => readFileSync(new URL(`../${FOLDER}/${name}`, import.meta.url));
const { version } = JSON.parse(read("package.json").toString()) as { version: string };
const BUILT = `assets/flags-${version}`;

/** `import.meta.env.FLAGS` is the folder of `US.svg`. */
export function flags(): Plugin {
  return {
    name: "flags",
    config: (_config, { command }) => ({
      define: { "import.meta.env.FLAGS": JSON.stringify(command === "build" ? `/${BUILT}` : `/${FOLDER}/3x2`) },
    }),
    generateBundle() {
      for (const country of defaultCountries) {
        const name = `${parseCountry(country).iso2.toUpperCase()}.svg`;
        this.emitFile({ type: "asset", fileName: `${BUILT}/${name}`, source: read(`3x2/${name}`) });
      }
    },
  };
}
