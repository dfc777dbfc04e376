/** A link that looks like a button. */
import { Button, type ButtonProps } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "react-router";

interface Props extends ButtonProps {
  to: string;
  role?: "button" | "link";
  children: ReactNode;
}

export const ButtonLink = (props: Props) => <Button component={Link} {...props} />;
