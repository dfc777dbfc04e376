/** Signs out: what can still be undone is sent first, and the sign-in is shown even if a call fails. */
import { useNavigate } from "react-router";
import { settleToasts } from "../../../shared/toasts";
import { signOut } from "../../api/account";
import { useMutation } from "../../api/mutation";
import { sessionEnded } from "../../stores/session";

export function useSignOut() {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: async () => {
      await settleToasts();
      await signOut();
    },
    onSettled: () => {
      sessionEnded();
      void navigate("/login", { replace: true });
    },
  });
}
