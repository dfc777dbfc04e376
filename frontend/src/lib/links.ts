/** Addresses that several screens link to. */

/** The packed browser extension, built together with the app. */
export const EXTENSION_URL = "/extension.zip";

export const companyPage = (company: string): string => `/dashboard/main/companysearch/${encodeURIComponent(company)}`;
