/** The fields of a company: in the second step of signing up, and in the profile of its owner. */
import { NativeSelect, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { codeOf, countryNames, iso2Of } from "../lib/countryname";
import { t } from "../lib/i18n";
import { digitsOf, isBlank, isCount } from "../lib/validate";
import classes from "./ui/Pair.module.css";
import { CountInput } from "./ui/CountInput";
import { PhoneInput } from "./ui/PhoneInput";

export interface CompanyValues {
  companyname: string;
  phonenumber: string;
  country: string;
  /** As typed. */
  salespeoplecount: string;
  requiredleadcount: string;
  department: string;
}

export const NO_COMPANY: CompanyValues = {
  companyname: "",
  phonenumber: "",
  country: "",
  salespeoplecount: "",
  requiredleadcount: "",
  department: "",
};

const SHORTEST_PHONE = 5;
const MOST = 1_000_000;
const OPTIONS = [
  { value: "", label: t("company.countryPlaceholder") },
  ...countryNames().map(([value, label]) => ({ value, label })),
];

export function phoneError(phone: string): string | null {
  return digitsOf(phone).length < SHORTEST_PHONE ? t("company.phoneInvalid") : null;
}

/** An empty field is valid, because the count is not required everywhere. */
export function countError(text: string): string | null {
  return isBlank(text) || isCount(text, MOST) ? null : t("field.count", { most: MOST });
}

export const companyRules = {
  companyname: (text: string) => (isBlank(text) ? t("company.companyMissing") : null),
  phonenumber: (text: string) => (isBlank(text) ? t("company.phoneMissing") : phoneError(text)),
  country: (code: string) => (code ? null : t("company.countryMissing")),
  salespeoplecount: (count: string) => (isBlank(count) ? t("company.salespeopleMissing") : countError(count)),
  requiredleadcount: countError,
};

/** Also validated while typing, because a wrong beginning cannot become valid. */
export const COUNT_FIELDS = ["salespeoplecount", "requiredleadcount"];

/** The values to send: numbers as numbers, the phone as digits, no empty strings. */
export function companyRecord(values: CompanyValues) {
  return {
    companyname: values.companyname.trim(),
    phonenumber: digitsOf(values.phonenumber),
    country: values.country || null,
    salespeoplecount: countOf(values.salespeoplecount),
    requiredleadcount: countOf(values.requiredleadcount),
    department: values.department.trim() || null,
  };
}

const countOf = (count: string): number | null => (isBlank(count) ? null : Number(count));

// A form may contain more than the company; this part handles its own fields only.
type CompanyForm = Pick<UseFormReturnType<CompanyValues>, "getInputProps" | "values" | "setFieldValue" | "errors">;

export function CompanyFields({ form }: { form: CompanyForm }) {
  return (
    <>
      <TextInput label={t("company.company")} autoComplete="organization" {...form.getInputProps("companyname")} />
      <PhoneInput
        label={t("company.phone")}
        countryLabel={t("company.phoneCountry")}
        home={iso2Of(form.values.country)}
        value={form.values.phonenumber}
        onChange={(phone) => form.setFieldValue("phonenumber", phone)}
        onCountry={(iso2) => form.values.country || form.setFieldValue("country", codeOf(iso2))}
        error={form.errors["phonenumber"]}
      />
      <NativeSelect label={t("company.country")} data={OPTIONS} autoComplete="country" {...form.getInputProps("country")} />
      <div className={classes.pair}>
        <CountInput label={t("company.salespeople")} {...form.getInputProps("salespeoplecount")} />
        <CountInput label={t("company.leads")} placeholder={t("company.optional")} {...form.getInputProps("requiredleadcount")} />
      </div>
      <TextInput label={t("company.department")} placeholder={t("company.optional")} {...form.getInputProps("department")} />
    </>
  );
}
