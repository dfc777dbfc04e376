/** The small schema map of the overview; a click opens the large one. */
import { useQuery } from "@tanstack/react-query";
import { model } from "../../api/queries";
import { hrefOf } from "../../lib/address";
import { T } from "../../texts";
import { Miniature } from "./Picture";

export default function Schema({ dataset }: { dataset: string }) {
  const tables = useQuery(model(dataset));
  return (
    <a className="overview-map" href={hrefOf(dataset, "", { view: "picture" })} aria-label={T.pictureTitle}>
      {tables.data && <Miniature tables={tables.data} dataset={dataset} />}
    </a>
  );
}
