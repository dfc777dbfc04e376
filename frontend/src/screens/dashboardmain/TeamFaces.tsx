/** The pictures of the members on the plan's seats; screen readers read their names. */
import { useQuery } from "@tanstack/react-query";
import { team } from "../../api/team";
import { NameAvatar } from "../../components/NameAvatar";
import { t } from "../../lib/i18n.dashboard";
import { listText, numberText } from "../../lib/locale";
import classes from "./DashboardMain.module.css";

const MOST = 4;

export function TeamFaces() {
  const { data } = useQuery(team);
  if (!data) return null;
  const shown = data.resource.slice(0, MOST);
  const more = (data.meta?.count ?? shown.length) - shown.length;
  const names = shown.map(({ name }) => name);
  const text = listText(more > 0 ? [...names, t("home.moreMembers", { more: numberText(more) })] : names);
  return (
    <span className={classes.faces} role="img" aria-label={text} title={text}>
      {shown.map(({ appuserid, name, avatar }) => (
        <NameAvatar key={appuserid} name={name} src={avatar} size={24} drawn />
      ))}
      {more > 0 && <span className={classes.moreFaces}>{`+${numberText(more)}`}</span>}
    </span>
  );
}
