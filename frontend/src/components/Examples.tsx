/** Sample people of the demo, for a visitor without a profile address. */
import { Text } from "@mantine/core";
import { ArrowRight } from "lucide-react";
import { t } from "../lib/i18n.dashboard";
import { PersonLinks } from "./PersonLinks";

interface Person {
  full_name: string;
  title: string;
  company: string;
  linkedinurl: string;
}

export function Examples({ people = [] }: { people: readonly Person[] | undefined }) {
  if (people.length === 0) return null;
  const links = people.map(({ full_name, title, company, linkedinurl }) => ({
    to: `/dashboard/main/search?url=${encodeURIComponent(linkedinurl)}`,
    name: full_name,
    about: `${title} · ${company}`,
  }));
  return (
    <section aria-label={t("search.examples")}>
      <Text c="dimmed" size="sm" mb="xs">{t("search.examples")}</Text>
      <PersonLinks people={links} mark={<ArrowRight size={16} strokeWidth={1.75} aria-hidden="true" />} />
    </section>
  );
}
