/** One field, and below it everything that can be reached from here: the command palette of the app and of the desk. */
import { Box, Group, Modal } from "@mantine/core";
import { Search } from "lucide-react";
import { useId } from "react";
import { useNavigate } from "react-router";
import { useChoice } from "../../../shared/usechoice";
import { useReturnedFocus } from "../../components/useReturnedFocus";
import { t } from "../../lib/i18n.dashboard";
import type { Command } from "./commands";
import classes from "./Palette.module.css";

export interface Group {
  name: string;
  commands: Command[];
}

interface Props {
  typed: string;
  onType: (text: string) => void;
  groups: Group[];
  placeholder: string;
  onClose: () => void;
  /** Called with the id of the chosen command. */
  onUsed?: (id: string) => void;
}

export function PaletteDialog({ typed, onType, groups, placeholder, onClose, onUsed }: Props) {
  const navigate = useNavigate();
  useReturnedFocus();
  const id = useId();
  const commands = groups.flatMap((group) => group.commands);

  const choose = (command: Command) => {
    onClose();
    onUsed?.(command.id);
    command.run?.();
    if (command.to) void navigate(command.to);
  };
  const { index, setAt, onKeyDown } = useChoice(commands, (at) => `${id}-${commands[at]?.id}`, choose);
  const active = commands[index];

  return (
    <Modal.Root opened onClose={onClose} size={560} yOffset="12vh" classNames={{ content: classes.palette }}>
      <Modal.Overlay />
      <Modal.Content aria-label={t("palette.title")}>
        <Group wrap="nowrap" gap="sm" className={classes.field}>
          <Search size={16} strokeWidth={1.75} aria-hidden="true" />
          <input
            data-autofocus
            role="combobox"
            aria-expanded
            aria-label={t("palette.title")}
            aria-controls={`${id}-list`}
            aria-activedescendant={active && `${id}-${active.id}`}
            placeholder={placeholder}
            value={typed}
            maxLength={400}
            autoComplete="off"
            spellCheck={false}
            onKeyDown={onKeyDown}
            onChange={(event) => {
              onType(event.currentTarget.value);
              setAt(0);
            }}
          />
          <kbd aria-hidden="true">Esc</kbd>
        </Group>
        <div id={`${id}-list`} role="listbox" aria-label={t("palette.title")} className={classes.list}>
          {groups.map((group) => (
            <Choices key={group.name} id={id} group={group} active={active} onChoose={choose} />
          ))}
        </div>
        {commands.length === 0 && (
          <Box component="p" pt={0} px="md" pb="lg" c="dimmed" ta="center" role="status">
            {t("palette.none")}
          </Box>
        )}
      </Modal.Content>
    </Modal.Root>
  );
}

interface ChoicesProps {
  id: string;
  group: Group;
  active: Command | undefined;
  onChoose: (command: Command) => void;
}

function Choices({ id, group, active, onChoose }: ChoicesProps) {
  return (
    <div role="group" aria-label={group.name}>
      <Box pt="xs" px="xs" pb="var(--s-1)" c="var(--text-3)" fz="xs" fw="var(--fw-500)" lh="xs" aria-hidden="true">
        {group.name}
      </Box>
      {group.commands.map((command) => {
        const Icon = command.icon;
        return (
          <button
            type="button"
            key={command.id}
            id={`${id}-${command.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={command.id === active?.id}
            className={classes.choice}
            onClick={() => onChoose(command)}
          >
            <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
            <Group component="span" align="baseline" justify="space-between" gap="0 var(--s-3)" className={classes.words}>
              <span>{command.text}</span>
              {command.hint && <Box component="span" c="var(--text-3)" fz="sm">{command.hint}</Box>}
            </Group>
          </button>
        );
      })}
    </div>
  );
}
