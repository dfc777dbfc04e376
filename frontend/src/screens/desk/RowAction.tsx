/** The button of a row that asks the desk for something at once and says that it is done. */
import { toast } from "../../../shared/toasts";
import { useDesk } from "../../api/desk";
import { explain } from "../../api/explain";
import { BusyButton } from "../../components/ui/BusyButton";

interface Props {
  name: string;
  body: object;
  label: string;
  text: string;
  done: string;
}

export function RowAction({ name, body, label, text, done }: Props) {
  const act = useDesk(name);
  const onClick = () => act.mutate(body, { onSuccess: () => toast(done), onError: (error) => toast(explain(error), "bad") });
  return (
    <BusyButton size="compact-sm" variant="default" busy={act.isPending} aria-label={label} onClick={onClick}>
      {text}
    </BusyButton>
  );
}
