/** The title of the window while a screen is shown: "My Contacts · Openlead". */
import { createContext, useContext } from "react";

export const Brand = createContext("");

export function Title({ text }: { text: string }) {
  const brand = useContext(Brand);
  return <title>{brand ? `${text} · ${brand}` : text}</title>;
}
