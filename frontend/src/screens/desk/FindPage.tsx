/** The first page of the desk: find a client. */
import { Anchor, Button, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useMemo, useState } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { type FoundClient, findClients, useWork } from "../../api/desk";
import { problemOf } from "../../api/explain";
import { Empty } from "../../components/Empty";
import classes from "../../components/ListTable.module.css";
import { Problem } from "../../components/Problem";
import { BusyButton } from "../../components/ui/BusyButton";
import { type Column, DataTable } from "../../components/ui/DataTable";
import { Page } from "../../components/ui/Page";
import { dayText } from "../../lib/dates";
import { t } from "../../lib/i18n.desk";
import { numberText } from "../../lib/locale";
import desk from "./Desk.module.css";
import { recentClients } from "./recent";
import { SuppressDialog } from "./SuppressDialog";

const nameOf = ({ companyname, clientid }: FoundClient) => companyname || t("find.unnamed", { id: String(clientid) });

function columnsOf(): Column<FoundClient>[] {
  return [
    {
      key: "company",
      head: t("find.company"),
      cell: (row) => (
        <Anchor component={Link} to={`/desk/client/${row.clientid}`}>{nameOf(row)}</Anchor>
      ),
    },
    { key: "owner", head: t("find.owner"), cell: ({ owner }) => owner ?? t("none") },
    { key: "email", head: t("find.email"), cell: ({ email }) => email ?? t("none") },
    { key: "plan", head: t("find.plan"), cell: ({ plan }) => plan ?? t("none") },
    { key: "since", head: t("find.since"), cell: ({ createdon }) => dayText(createdon) },
  ];
}

export function FindPage() {
  const [params, setParams] = useSearchParams();
  const asked = params.get("q") ?? "";
  const [text, setText] = useState(asked);
  const navigate = useNavigate();
  const found = useQuery(findClients(asked));
  const columns = useMemo(() => columnsOf(), []);
  const [suppressing, { open, close }] = useDisclosure();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setParams(text.trim() ? { q: text.trim() } : {});
  };
  return (
    <Page
      title={t("nav.clients")}
      lead={t("find.lead")}
      actions={
        <Button variant="default" onClick={open}>
          {t("suppress.open")}
        </Button>
      }
    >
      <form className={desk.search} role="search" onSubmit={submit}>
        <TextInput
          aria-label={t("find.label")}
          placeholder={t("find.placeholder")}
          value={text}
          maxLength={254}
          autoFocus
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <BusyButton type="submit" busy={found.isFetching}>
          {t("find.submit")}
        </BusyButton>
      </form>
      {asked === "" && (
        <>
          <Work />
          <Recent />
        </>
      )}
      {found.isError && <Problem {...problemOf(found.error)} retry={found.refetch} />}
      {found.data?.resource.length === 0 && <Empty title={t("find.empty")} text={t("find.emptyText")} />}
      {found.data && found.data.resource.length > 0 && (
        <DataTable
          label={t("nav.clients")}
          columns={columns}
          rows={found.data.resource}
          rowKey={({ clientid }) => clientid}
          onOpen={({ clientid }) => void navigate(`/desk/client/${clientid}`)}
          foot={found.data.more && <Text c="dimmed" size="sm">{t("find.more")}</Text>}
          phone={(row) => (
            <div className={classes.phone}>
              <Anchor component={Link} to={`/desk/client/${row.clientid}`}>{nameOf(row)}</Anchor>
              <span>{row.plan}</span>
              <span>{row.email}</span>
            </div>
          )}
        />
      )}
      <Text c="dimmed" size="sm">{t("recorded")}</Text>
      {suppressing && <SuppressDialog onClose={close} />}
    </Page>
  );
}

/** The most recently opened clients. */
function Recent() {
  const [clients] = useState(recentClients);
  return (
    <section className={desk.recent} aria-label={t("find.recent")}>
      <h2>{t("find.recent")}</h2>
      {clients.length === 0 ? (
        <Text c="dimmed" size="sm">{t("find.none")}</Text>
      ) : (
        <ul>
          {clients.map(({ clientid, name }) => (
            <li key={clientid}>
              <Link to={`/desk/client/${clientid}`}>
                <strong>{name}</strong>
                <Text span c="dimmed" size="sm">{clientid}</Text>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const WORK = [
  ["feedback", "/desk/feedback", "work.feedback"],
  ["queue", "/desk/queue", "work.queue"],
  ["payments", "/desk/payments", "work.payments"],
] as const;

/** The waiting work, each kind with a link to its list. */
function Work() {
  const work = useWork();
  return (
    <section className={desk.work} aria-label={t("work.title")}>
      {WORK.map(([kind, to, text]) => (
        <Link key={kind} to={to} className={desk.task!} data-open={Boolean(work[kind]) || undefined}>
          <span className={desk.figure}>{work[kind] === undefined ? t("none") : numberText(work[kind])}</span>
          <span>{t(text)}</span>
          <Text span c="dimmed" size="sm">{work[kind] === 0 ? t("nothingWaiting") : work[kind] ? t("work.open") : ""}</Text>
        </Link>
      ))}
    </section>
  );
}
