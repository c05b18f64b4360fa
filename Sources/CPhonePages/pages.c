// Written by deploy/page. Do not edit.
#include "phone_pages.h"

// All supported compilers know #embed, but older ones warn that it is new.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_RuleTable_md[] = {
#embed "../Phones/Phones.docc/RuleTable.md"
};

static const unsigned char file_stock_md[] = {
#embed "../Phones/Phones.docc/stock.md"
};

static const unsigned char file_low_power_md[] = {
#embed "../Phones/Phones.docc/low-power.md"
};

static const unsigned char file_background_task_md[] = {
#embed "../Phones/Phones.docc/background-task.md"
};

static const unsigned char file_location_when_in_use_md[] = {
#embed "../Phones/Phones.docc/location-when-in-use.md"
};

static const unsigned char file_location_always_md[] = {
#embed "../Phones/Phones.docc/location-always.md"
};

static const unsigned char file_task_list_sampled_md[] = {
#embed "../Phones/Phones.docc/task-list-sampled.md"
};

static const unsigned char file_activity_session_md[] = {
#embed "../Phones/Phones.docc/activity-session.md"
};

static const unsigned char file_live_updates_md[] = {
#embed "../Phones/Phones.docc/live-updates.md"
};

static const unsigned char file_cl_monitor_md[] = {
#embed "../Phones/Phones.docc/cl-monitor.md"
};

static const unsigned char file_live_activity_md[] = {
#embed "../Phones/Phones.docc/live-activity.md"
};

static const unsigned char file_altbeacon_legacy_md[] = {
#embed "../Phones/Phones.docc/altbeacon-legacy.md"
};

static const unsigned char file_altbeacon_job_md[] = {
#embed "../Phones/Phones.docc/altbeacon-job.md"
};

static const unsigned char file_altbeacon_intent_md[] = {
#embed "../Phones/Phones.docc/altbeacon-intent.md"
};

static const unsigned char file_altbeacon_foreground_service_md[] = {
#embed "../Phones/Phones.docc/altbeacon-foreground-service.md"
};

static const unsigned char file_companion_presence_md[] = {
#embed "../Phones/Phones.docc/companion-presence.md"
};

static const struct phone_page files[] = {
    {"RuleTable", file_RuleTable_md, sizeof file_RuleTable_md},
    {"stock", file_stock_md, sizeof file_stock_md},
    {"low-power", file_low_power_md, sizeof file_low_power_md},
    {"background-task", file_background_task_md, sizeof file_background_task_md},
    {"location-when-in-use", file_location_when_in_use_md, sizeof file_location_when_in_use_md},
    {"location-always", file_location_always_md, sizeof file_location_always_md},
    {"task-list-sampled", file_task_list_sampled_md, sizeof file_task_list_sampled_md},
    {"activity-session", file_activity_session_md, sizeof file_activity_session_md},
    {"live-updates", file_live_updates_md, sizeof file_live_updates_md},
    {"cl-monitor", file_cl_monitor_md, sizeof file_cl_monitor_md},
    {"live-activity", file_live_activity_md, sizeof file_live_activity_md},
    {"altbeacon-legacy", file_altbeacon_legacy_md, sizeof file_altbeacon_legacy_md},
    {"altbeacon-job", file_altbeacon_job_md, sizeof file_altbeacon_job_md},
    {"altbeacon-intent", file_altbeacon_intent_md, sizeof file_altbeacon_intent_md},
    {"altbeacon-foreground-service", file_altbeacon_foreground_service_md, sizeof file_altbeacon_foreground_service_md},
    {"companion-presence", file_companion_presence_md, sizeof file_companion_presence_md},
};

const struct phone_page *phone_page(size_t index) {
  return index < sizeof files / sizeof files[0] ? &files[index] : NULL;
}
