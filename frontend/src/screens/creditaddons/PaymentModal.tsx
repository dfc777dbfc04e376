/** The card form: of Stripe, or of the sandbox in the demo. */
import { config } from "../../api/config";
import type { Plan } from "../../api/types";
import { Dialog } from "../../components/ui/Dialog";
import { useLast } from "../../components/useLast";
import { planText } from "../../domain/plantexts";
import { NoCardForm } from "./NoCardForm";
import { SandboxForm } from "./SandboxForm";
import { StripeForm } from "./StripeForm";

export function PaymentModal({ plan, onClose }: { plan: Plan | null; onClose: () => void }) {
  const shown = useLast(plan);
  return (
    <Dialog opened={plan !== null} onClose={onClose} title={shown && planText(shown.name)}>
      {shown && <CardForm plan={shown} onClose={onClose} />}
    </Dialog>
  );
}

function CardForm(props: { plan: Plan; onClose: () => void }) {
  const { demo, stripepublishablekey } = config();
  if (stripepublishablekey) return <StripeForm {...props} />;
  if (demo) return <SandboxForm {...props} />;
  return <NoCardForm onClose={props.onClose} />;
}
