/** English texts of the dashboard, loaded with it. */
import { account } from "./account";
import { agents } from "./agents";
import { billing } from "./billing";
import { contacts } from "./contacts";
import { frame } from "./frame";
import { home } from "./home";
import { offers } from "./offers";
import { payments } from "./payments";
import { plans } from "./plans";
import { records } from "./records";
import { search } from "./search";
import { team } from "./team";
import { usage } from "./usage";

export const dashboard = { ...frame, ...home, ...plans, ...offers, ...payments, ...billing, ...team, ...account, ...agents, ...search, ...contacts, ...usage, ...records } as const;
