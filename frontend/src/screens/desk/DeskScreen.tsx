/** The desk of staff: its pages below /desk, in their frame. */
import { Route, Routes } from "react-router";
import { ClientPage } from "./ClientPage";
import { DeskFrame } from "./DeskFrame";
import { EventsPage } from "./EventsPage";
import { FeedbackPage } from "./FeedbackPage";
import { FindPage } from "./FindPage";
import { QueuePage } from "./QueuePage";

export default function DeskScreen() {
  return (
    <DeskFrame>
      <Routes>
        <Route index element={<FindPage />} />
        <Route path="client/:clientid" element={<ClientPage />} />
        <Route path="feedback" element={<FeedbackPage />} />
        <Route path="queue" element={<QueuePage />} />
        <Route path="payments" element={<EventsPage />} />
        <Route path="*" element={<FindPage />} />
      </Routes>
    </DeskFrame>
  );
}
