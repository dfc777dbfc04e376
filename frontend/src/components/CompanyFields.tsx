/** The fields of a company: in the second step of signing up, and in the profile of its owner. */
import { NativeSelect, NumberInput, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { COUNTRIES } from "../lib/countries";
import { t } from "../lib/i18n";
import { digitsOf, isBlank } from "../lib/validate";
import classes from "./CompanyFields.module.css";
import { PhoneInput } from "./ui/PhoneInput";

export interface CompanyValues {
  companyname: string;
  phonenumber: string;
  country: string;
  salespeoplecount: number | string;
  requiredleadcount: number | string;
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
  ...COUNTRIES.map(({ value, name }) => ({ value, label: name })),
];

export function phoneError(phone: string): string | null {
  return digitsOf(phone).length < SHORTEST_PHONE ? t("company.phoneInvalid") : null;
}

export const companyRules = {
  companyname: (text: string) => (isBlank(text) ? t("company.companyMissing") : null),
  phonenumber: (text: string) => (isBlank(text) ? t("company.phoneMissing") : phoneError(text)),
  country: (code: string) => (code ? null : t("company.countryMissing")),
  salespeoplecount: (count: number | string) => (count === "" ? t("company.salespeopleMissing") : null),
};

/** The values as they are sent: numbers as numbers, the phone as digits, nothing instead of an empty text. */
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

const countOf = (count: number | string): number | null => (count === "" ? null : Number(count));

// A form may hold more than the company; this part of it knows its own fields only.
type CompanyForm = Pick<UseFormReturnType<CompanyValues>, "getInputProps" | "values" | "setFieldValue" | "errors">;

export function CompanyFields({ form }: { form: CompanyForm }) {
  return (
    <>
      <TextInput label={t("company.company")} autoComplete="organization" {...form.getInputProps("companyname")} />
      <PhoneInput
        label={t("company.phone")}
        countryLabel={t("company.phoneCountry")}
        value={form.values.phonenumber}
        onChange={(phone) => form.setFieldValue("phonenumber", phone)}
        error={form.errors["phonenumber"]}
      />
      <NativeSelect label={t("company.country")} data={OPTIONS} autoComplete="country" {...form.getInputProps("country")} />
      <div className={classes.pair}>
        <NumberInput
          label={t("company.salespeople")}
          min={0}
          max={MOST}
          allowDecimal={false}
          allowNegative={false}
          {...form.getInputProps("salespeoplecount")}
        />
        <NumberInput
          label={t("company.leads")}
          min={0}
          max={MOST}
          allowDecimal={false}
          allowNegative={false}
          {...form.getInputProps("requiredleadcount")}
        />
      </div>
      <TextInput label={t("company.department")} {...form.getInputProps("department")} />
    </>
  );
}
