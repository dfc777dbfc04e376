/** Every German text, loaded before the first screen when the reader has chosen German. */
import { account } from "./account";
import { agents } from "./agents";
import { api } from "./api";
import { billing } from "./billing";
import { bulk } from "./bulk";
import { common } from "./common";
import { contacts } from "./contacts";
import { events } from "./events";
import { frame } from "./frame";
import { home } from "./home";
import { legal } from "./legal";
import { login } from "./login";
import { offers } from "./offers";
import { payments } from "./payments";
import { people } from "./people";
import { plans } from "./plans";
import { records } from "./records";
import { errors } from "./errors";
import { search } from "./search";
import { signup } from "./signup";
import { team } from "./team";
import { twostep } from "./twostep";
import { usage } from "./usage";
import { webhooks } from "./webhooks";

const entry = { ...common, ...login, ...signup };
const dashboard = { ...frame, ...home, ...plans, ...offers, ...payments, ...people, ...billing, ...team, ...account, ...agents, ...search, ...contacts, ...usage, ...api, ...bulk, ...records, ...events, ...twostep, ...webhooks };

export const translation = { texts: { ...entry, ...dashboard }, legal, errors };
