/** The picture: choose a file and preview it; Update saves it, Delete discards the choice or removes the saved picture.
 */
import { Button, FileButton, Group } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { toast, toastWithUndo } from "../../../shared/toasts";
import { useAccount } from "../../api/account";
import { explain } from "../../api/explain";
import { useSaveAvatar } from "../../api/profile";
import { NameAvatar } from "../../components/NameAvatar";
import { BusyButton } from "../../components/ui/BusyButton";
import { Card } from "../../components/ui/Card";
import { t } from "../../lib/i18n.dashboard";

const TYPES = ["image/jpeg", "image/png"];
const MOST_BYTES = 2_000_000;
const SIGNATURES = [
  [0xff, 0xd8, 0xff],
  [0x89, 0x50, 0x4e, 0x47],
];

/** Why a file cannot be the photo. Its name does not matter: the content must begin as JPEG or PNG. */
async function faultOf(file: File): Promise<string | null> {
  if (!TYPES.includes(file.type)) return t("account.photoType");
  if (file.size > MOST_BYTES) return t("account.photoSize");
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  return SIGNATURES.some((bytes) => bytes.every((byte, at) => head[at] === byte)) ? null : t("account.photoType");
}

export function AvatarCard() {
  const me = useAccount();
  const [chosen, setChosen] = useState<{ file: File; url: string } | null>(null);
  const emptyInput = useRef<() => void>(null);
  const save = useSaveAvatar(me.appuserid);

  // The browser keeps a displayed file until its URL is revoked.
  useEffect(() => () => URL.revokeObjectURL(chosen?.url ?? ""), [chosen]);

  const choose = async (file: File | null) => {
    if (!file) return;
    // A browser reports no change when the same file is chosen again.
    emptyInput.current?.();
    const fault = await faultOf(file);
    // After a rejected file Update must not send the one chosen before.
    setChosen(fault ? null : { file, url: URL.createObjectURL(file) });
    if (fault) toast(fault, "bad");
  };
  // Undo may come after this screen has been unmounted.
  const store = (picture: File | string) =>
    save.mutateAsync(picture).then(
      () => {
        setChosen(null);
        toast(t("account.photoSaved"));
      },
      (error: unknown) => toast(explain(error), "bad"),
    );
  const update = () => (chosen ? void store(chosen.file) : toast(t("account.photoMissing"), "bad"));
  const remove = () => {
    if (chosen) return setChosen(null);
    const before = me.avatar;
    save.mutate(null, {
      onSuccess: () => toastWithUndo(t("account.photoDeleted"), { undo: () => before && void store(before) }),
      onError: (error) => toast(explain(error), "bad"),
    });
  };

  return (
    <Card title={t("account.photo")} text={t("account.photoText")}>
      <Group gap="lg">
        <NameAvatar name={me.name} src={chosen?.url ?? me.avatar} size={64} />
        <Group gap="sm">
          <FileButton resetRef={emptyInput} onChange={(file) => void choose(file)} accept={TYPES.join(",")} inputProps={{ "aria-label": t("account.photoChoose") }}>
            {(props) => (
              <Button variant="default" {...props}>
                {t("account.photoChoose")}
              </Button>
            )}
          </FileButton>
          <BusyButton variant={chosen ? "filled" : "subtle"} onClick={update} busy={save.isPending}>
            {t("account.update")}
          </BusyButton>
          <Button variant="subtle" color="red" onClick={remove} disabled={!chosen && !me.avatar}>
            {t("delete")}
          </Button>
        </Group>
      </Group>
    </Card>
  );
}
