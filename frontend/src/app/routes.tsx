/** The routes of the app, one line per screen. Screens are fetched when they are first opened. */
import type { ComponentType } from "react";
import { Navigate, type RouteObject, createBrowserRouter } from "react-router";
import { isComing, loadConfig } from "../api/config";
import { AuthLayout } from "./layout/AuthLayout";
import { Crashed } from "./layout/Crashed";
import { DeskGate } from "./layout/DeskGate";
import { FrameShape } from "./layout/FrameShape";
import { NotFound } from "./layout/NotFound";
import { PlainLayout } from "./layout/PlainLayout";
import { Root } from "./layout/Root";
import { ScreenFailed } from "./layout/ScreenFailed";
import { withTransitions } from "./transitions";

/** A screen or its "Coming soon" page. Decided lazily, because the router starts before the server's settings are
 known. */
const unlessComing = (name: string, screen: () => Promise<{ Component: ComponentType }>) => async () => {
  await loadConfig();
  return isComing(name) ? import("../screens/comingsoon/ComingSoonScreen") : screen();
};
const home = <Navigate to="/dashboard/main/dashboardmain" replace />;

/** Screens inside a frame, which remains when one of them fails. */
const framed = (children: RouteObject[]): RouteObject[] => [{ errorElement: <ScreenFailed />, children }];

const beforeSignIn: RouteObject[] = [
  { index: true, lazy: () => import("../screens/login/LoginScreen") },
  { path: "login", lazy: () => import("../screens/login/LoginScreen") },
  { path: "register", lazy: () => import("../screens/register/RegisterScreen") },
  { path: "tellusmore", lazy: () => import("../screens/tellusmore/TellUsMoreScreen") },
  { path: "forgotpassword", lazy: () => import("../screens/forgotpassword/ForgotPasswordScreen") },
  { path: "resetpassword", lazy: () => import("../screens/resetpassword/ResetPasswordScreen") },
  { path: "verifyemail", lazy: () => import("../screens/verifyemail/VerifyEmailScreen") },
  { path: "emailverification", lazy: () => import("../screens/emailverification/EmailVerificationScreen") },
  { path: "undoemail", lazy: () => import("../screens/undoemail/UndoEmailScreen") },
  { path: "acceptinvite", lazy: () => import("../screens/acceptinvite/AcceptInviteScreen") },
];

const text = (name: "Privacy" | "Terms" | "Chrome") => async () => ({ Component: (await import("../screens/legal/LegalScreens"))[name] });
const texts: RouteObject[] = [
  { path: "privacypolicy", lazy: text("Privacy") },
  { path: "termsofuse", lazy: text("Terms") },
  { path: "chromeprivacy", lazy: text("Chrome") },
];

// Pages that must be readable without an account.
const legal: RouteObject[] = [
  ...texts,
  { path: "trust", lazy: () => import("../screens/trust/TrustScreen") },
  { path: "removal", lazy: () => import("../screens/removal/RemovalScreen") },
];

const ofOwner = (children: RouteObject[]): RouteObject => ({ lazy: () => import("./layout/OwnerGate"), children });

const settings: RouteObject[] = [
  { index: true, element: <Navigate to="myaccount" replace /> },
  { path: "myaccount", lazy: () => import("../screens/myaccount/MyAccountScreen") },
  { path: "password", lazy: () => import("../screens/password/PasswordScreen") },
  { path: "privacy", lazy: () => import("../screens/privacy/PrivacyScreen") },
  ofOwner([
    { path: "manageseats", lazy: () => import("../screens/manageseats/ManageSeatsScreen") },
    { path: "billing", lazy: () => import("../screens/billing/BillingScreen") },
    { path: "plans", lazy: () => import("../screens/upgradeplan/UpgradePlanScreen") },
    { path: "usage", lazy: () => import("../screens/usage/UsageScreen") },
    { path: "api", lazy: () => import("../screens/api/ApiScreen") },
    { path: "webhooks", lazy: () => import("../screens/webhooks/WebhooksScreen") },
    { path: "auditlog", lazy: () => import("../screens/auditlog/AuditLogScreen") },
    { path: "creditledger", lazy: () => import("../screens/creditledger/CreditLedgerScreen") },
  ]),
];

const dashboard: RouteObject[] = [
  { index: true, element: home },
  { path: "main", element: home },
  { path: "main/dashboardmain", lazy: () => import("../screens/dashboardmain/DashboardMainScreen") },
  { path: "main/search", lazy: () => import("../screens/search/SearchScreen") },
  { path: "main/mycontacts", lazy: () => import("../screens/mycontacts/MyContactsScreen") },
  ofOwner([
    { path: "upgradeplan", lazy: () => import("../screens/upgradeplan/UpgradePlanScreen") },
    { path: "creditaddons", lazy: () => import("../screens/creditaddons/CreditAddonsScreen") },
  ]),
  { path: "paysuccess", lazy: () => import("../screens/paysuccess/PaySuccessScreen") },
  { path: "payfail", lazy: () => import("../screens/payfail/PayFailScreen") },
  { path: "main/peoplesearch", lazy: unlessComing("peoplesearch", () => import("../screens/peoplesearch/PeopleSearchScreen")) },
  { path: "main/companysearch", lazy: unlessComing("companysearch", () => import("../screens/companysearch/CompanySearchScreen")) },
  { path: "main/companysearch/:company", lazy: unlessComing("companysearch", () => import("../screens/company/CompanyScreen")) },
  { path: "main/lists", lazy: () => import("../screens/lists/ListsScreen") },
  { path: "main/lists/:listid", lazy: () => import("../screens/lists/ListScreen") },
  { path: "main/bulklookup", lazy: () => import("../screens/bulklookup/BulkLookupScreen") },
  { path: "authorize", lazy: () => import("../screens/authorize/AuthorizeScreen") },
  { path: "scheduledemo", lazy: () => import("../screens/scheduledemo/ScheduleDemoScreen") },
  ...texts,
  { path: "settings", lazy: () => import("../screens/settings/SettingsScreen"), children: framed(settings) },
];

export const router = withTransitions(createBrowserRouter([
  {
    element: <Root />,
    errorElement: <Crashed />,
    HydrateFallback: FrameShape,
    children: [
      { element: <AuthLayout />, children: beforeSignIn },
      { element: <PlainLayout />, children: [...legal, { path: "*", element: <NotFound /> }] },
      { path: "socialcallback", lazy: () => import("../screens/socialcallback/SocialCallbackScreen") },
      { path: "desk/*", element: <DeskGate /> },
      { path: "dashboard", lazy: () => import("./layout/Dashboard"), children: framed([...dashboard, { path: "*", element: <NotFound /> }]) },
    ],
  },
]));
