/** English texts of the pages before sign-in and of all pages, loaded with the first script. */
import { common } from "./common";
import { login } from "./login";
import { signup } from "./signup";

export const entry = { ...common, ...login, ...signup } as const;
