/** The picture of each kind of contact data. */
import { AtSign, Briefcase, Phone } from "lucide-react";

export const KIND_ICONS = { phone: Phone, business: Briefcase, personal: AtSign };
